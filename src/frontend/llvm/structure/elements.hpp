// SPDX-License-Identifier: BSD-3-Clause
// Elements of arrays that one loop has filled: what they hold as a formula of the subscript.
#pragma once

#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

#include "frontend/llvm/structure/region.hpp"
#include "frontend/llvm/values/memory.hpp"

namespace redblue::frontend::llvm_ir {

// One edge of the loop's body that decides what is stored.
struct Step {
  Block from = nullptr;
  Block to = nullptr;
};

// A way through the loop's body and the store that fills the element.
struct FillingWay {
  std::vector<Step> steps;
  const llvm::StoreInst* store = nullptr;
};

struct Filling {
  const llvm::Loop* loop = nullptr;
  std::vector<FillingWay> ways;
};

// The loop that has written every element of the array that `load` may read, if there is one:
//  - the array holds nothing before (a local variable, memory just allocated, an array of a Fortran
//    program), so that an element that is read has been written;
//  - nothing but stores in this loop writes it, one in each iteration that writes;
//  - the loop stands in no other loop and before the load.
std::optional<Filling> filling_of(const llvm::LoadInst& load, const Memory& memory,
                                  const llvm::LoopInfo& loops,
                                  const llvm::DominatorTree& dominators);

}  // namespace redblue::frontend::llvm_ir
