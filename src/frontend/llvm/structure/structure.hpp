// SPDX-License-Identifier: BSD-3-Clause
// A function's control flow as the counting model has it: loops, branches, calls, statements.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include <map>

#include "counting/model/model.hpp"
#include "frontend/llvm/ir/reading.hpp"
#include "frontend/llvm/ir/sites.hpp"
#include "frontend/llvm/structure/elements.hpp"
#include "frontend/llvm/structure/region.hpp"
#include "frontend/llvm/values/values.hpp"

namespace redblue::frontend::llvm_ir {

// Where --check counts a loop's iterations: each time control goes from `from` to `to` (to the
// header, `from` null: each time it is entered).
struct CountingPoint {
  const llvm::BasicBlock* from = nullptr;
  const llvm::BasicBlock* to = nullptr;
};

// Numbers for the loops of the source: one that stands in the IR several times keeps its number.
using LoopNumbers = std::map<std::string, int>;

// The blocks that decide whether a loop goes on, before its body (top) or after it.
struct Guard {
  bool at_end = false;
  std::vector<Block> tests;  // one after the other, all must hold; at the end: one
  Block body = nullptr;      // where the body begins behind the tests at the top
  bool ends_early = false;   // other edges leave the loop, too
};
Guard guard_of(const llvm::Loop& loop, const Region& outer);

CountingPoint counting_point(const llvm::Loop& loop, const Guard& guard);

// The same number for all occurrences of a loop of the source.
int number_of(const llvm::Loop& loop, LoopNumbers& numbers);

// For callers who want something else of a block than how many operations it has: called each time
// a block is read, it adds the block's statements itself.
class BlockReader {
 public:
  BlockReader() = default;
  virtual ~BlockReader() = default;
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;
  virtual void read(const llvm::BasicBlock& block, Values& values, counting::Body& out) = 0;
};

class Structure {
 public:
  Structure(llvm::Function& function, const llvm::LoopInfo& loops,
            const llvm::DominatorTree& dominators, Reading& reading, LoopNumbers& numbers,
            BlockReader* blocks = nullptr);

  // `name`: that of the function in the model.
  counting::Function read(const std::string& name);

 private:
  // The values that the phis at the end of a path get by it.
  using Arrival = std::map<const llvm::PHINode*, counting::Expr>;

  Arrival emit(const Region& region, Block from, Block before, Block stop, counting::Body& out);
  Arrival arrive(Block from, Block at);
  bool leaves(const Region& region, Block node) const;
  std::string reached(const Region& region, Block node) const;
  Arrival branch(const Region& region, Block node, Block join, counting::Body& out);
  Arrival unless_left(const Region& region, Block node, Block next, Block stop,
                      counting::Body& out);
  Arrival tangled(const Region& region, Block node, Block join, counting::Body& out);
  Arrival merge(counting::Branch& branch, const std::vector<Arrival>& arrivals, Block join);
  void straight(Block block, counting::Body& out);
  void call(const llvm::CallBase& call, counting::Body& out);
  void choose(const llvm::SelectInst& select, counting::Body& out);
  void element(const llvm::LoadInst& load, counting::Body& out);
  std::vector<Condition> conditions(const FillingWay& way);
  std::optional<GiNaC::exmap> iteration(const llvm::LoadInst& load, const Filling& filling,
                                        const std::vector<counting::Expr>& formulas);
  std::optional<counting::Symbol> subscript(const llvm::Loop& loop,
                                            const std::vector<counting::Expr>& formulas,
                                            bool& is_known);
  void loop(const llvm::Loop& loop, const Region& outer, counting::Body& out);
  Condition guard_condition(const Guard& guard, const llvm::Loop& loop);
  void statement(Block block, counting::Body& out);
  // The condition under which a block's end goes on to `successor`.
  Condition edge(Block block, Block successor);
  // The same, where several things can lead there: each by itself.
  std::vector<Condition> edges(Block block, Block successor);
  std::optional<counting::Schedule> schedule_of(const llvm::Loop& loop);
  void last_tests(const Guard& guard, counting::Body& out);

  llvm::Function& function_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  Sites sites_;
  Values values_;
  Reading& reading_;
  LoopNumbers& numbers_;
  BlockReader* blocks_;
  std::map<Block, int> visits_;
  const llvm::Loop* current_ = nullptr;
};

}  // namespace redblue::frontend::llvm_ir
