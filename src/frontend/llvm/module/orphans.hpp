// SPDX-License-Identifier: BSD-3-Clause
// Loops that OpenMP's threads share, in functions that no parallel region calls: one thread runs
// all of their iterations.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

namespace redblue::frontend::llvm_ir {

// Functions that run from the entry on without a parallel region around them. Those that regions
// call, too, are here as copies, which are called instead. None where the entry itself is called
// from a region. For a module that still has its calls of the runtime library.
std::vector<llvm::Function*> outside_of_regions(llvm::Module& module, llvm::Function& entry);

}  // namespace redblue::frontend::llvm_ir
