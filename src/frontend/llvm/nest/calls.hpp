// SPDX-License-Identifier: BSD-3-Clause
// Calls of functions that are not in the file, where loop nests are read.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <string>

#include "frontend/llvm/ir/reading.hpp"

namespace redblue::frontend::llvm_ir {

// What C calls the function of numbers: "sqrt", "fmax"; empty: it is none.
std::string mathematical_function(const llvm::CallBase& call);

// As the user knows it: "matmul", "'dgemm'".
std::string called_name(const llvm::CallBase& call);

// Throws Error with the call's line where it may read or write arrays: of what changes none, input
// and output are noted as left out.
void expect_harmless(const llvm::CallBase& call, Reading& reading);

}  // namespace redblue::frontend::llvm_ir
