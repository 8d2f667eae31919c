// SPDX-License-Identifier: BSD-3-Clause
// Values of the IR as formulas.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <set>
#include <vector>

#include "counting/model/model.hpp"
#include "frontend/llvm/ir/reading.hpp"
#include "frontend/llvm/ir/sites.hpp"
#include "frontend/llvm/values/memory.hpp"

namespace redblue::frontend::llvm_ir {

// When an edge is taken.
struct Condition {
  std::vector<counting::Comparison> all;  // needed
  bool exact = true;                      // and enough; else data decide, too
  // Comparisons of unsigned numbers: an index into `all`; their left side below 0 means a large
  // number there.
  std::set<std::size_t> unsigned_less;
};

// A loop that has been read, for the values it leaves behind.
struct LoopExits {
  std::map<std::string, counting::Expr> at_last_test;  // variable's symbol -> exit symbol
  std::set<const llvm::BasicBlock*> tests;             // blocks of the guard
};

class Values {
 public:
  Values(llvm::Function& function, const llvm::LoopInfo& loops,
         const llvm::DominatorTree& dominators, const Sites& sites, Reading& reading);

  counting::Expr of(const llvm::Value& value);
  // What a variable of a loop, a choice or a call stands for; where code is read again on another
  // way, for this way.
  void define(const llvm::Value& value, const counting::Expr& formula);

  // When `condition` is (or is not) true.
  Condition when(const llvm::Value& condition, bool holds);
  // The same, where several things can make it so (`a || b`): each by itself, no two at a time.
  std::vector<Condition> ways(const llvm::Value& condition, bool holds);

  void leave(const llvm::Loop& loop, LoopExits exits) { exits_[&loop] = std::move(exits); }

  const Memory& memory() const { return memory_; }

  // An integer or a pointer, the values formulas are about.
  static bool counts(const llvm::Value& value);

 private:
  counting::Expr derive(const llvm::Value& value);
  counting::Expr constant(const llvm::Constant& constant);
  counting::Expr binary(const llvm::BinaryOperator& operation);
  counting::Expr quotient(const llvm::Instruction& at, const llvm::Value& dividend,
                          const counting::Expr& divisor);
  counting::Expr address(const llvm::GEPOperator& address);
  counting::Expr phi(const llvm::PHINode& phi);
  counting::Expr after_loop(const llvm::PHINode& phi, const llvm::Value& value,
                            const llvm::BasicBlock& from);
  counting::Expr load(const llvm::LoadInst& load);
  std::optional<counting::Expr> end_of_vector(const Place& place);
  counting::Expr written_by_call(const llvm::LoadInst& load, const llvm::CallBase& call);
  counting::Expr call(const llvm::CallBase& call);
  counting::Expr select(const llvm::SelectInst& select);
  counting::Expr rounded(const llvm::Value& number, const llvm::Instruction& at);
  counting::Expr datum(const llvm::Instruction& at, const std::string& text = {});
  counting::Expr datum(const llvm::Instruction& at, const std::string& text,
                       const llvm::Loop* scope);
  void note_value(const counting::Expr& parameter, const llvm::Instruction& at);
  Condition compare(const llvm::ICmpInst& comparison, bool holds);

  const llvm::DataLayout& layout_;
  const llvm::LoopInfo& loops_;
  Memory memory_;
  const Sites& sites_;
  Reading& reading_;
  std::map<const llvm::Value*, counting::Expr> defined_;
  std::map<const llvm::Value*, counting::Expr> derived_;  // from those
  std::map<const llvm::Value*, counting::Expr> data_;
  // What is being derived: a value that is asked for again meanwhile is made from itself, as a
  // counter in memory that its own loop does not set anew, and stands for data.
  std::set<const llvm::Value*> deriving_;
  std::map<const llvm::Loop*, LoopExits> exits_;
};

}  // namespace redblue::frontend::llvm_ir
