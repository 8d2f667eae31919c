// SPDX-License-Identifier: BSD-3-Clause
// Names for places of the IR that the module that is counted and the one that runs have in common:
// where the place stands in the source, with the calls that it was inlined through.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <string>
#include <vector>

namespace redblue::frontend::llvm_ir {

// One place of a function. Of several with the same calls, each has its number; and how many there
// are, as numbers mean nothing in a module that has more or fewer.
struct Site {
  std::string kind;
  std::string calls;  // the place itself, then the calls, from the innermost out; empty: unknown
  int number = 0;
  int of = 0;
  // Its name where the function is reached by these calls, too: those of a parallel region, which
  // only the counted module has inlined.
  std::string name(const std::string& from = {}) const;
};

// "function:line:column", then the same for each call, from the innermost out.
std::string calls_to(const llvm::DebugLoc& at);

class Sites {
 public:
  Sites(const llvm::Function& function, const std::vector<llvm::Loop*>& loops);

  Site block(const llvm::BasicBlock& block) const;    // each time its end is reached
  Site value(const llvm::Instruction& number) const;  // what it is worth
  Site loop(const llvm::Loop& loop) const;            // entered
  Site iterations(const llvm::Loop& loop) const;      // one more iteration
  // Control goes from the block to its successor; no name where several edges do.
  Site edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const;

 private:
  Site place(const std::string& kind, const void* of) const;
  std::map<const void*, Site> places_;
};

}  // namespace redblue::frontend::llvm_ir
