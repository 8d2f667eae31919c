// SPDX-License-Identifier: BSD-3-Clause
// A main for functions that have none.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/llvm/source.hpp"

namespace redblue::frontend::llvm_ir {

// Adds main to the module: it calls the entry with these sizes, with memory of zeros behind every
// pointer, with 1 for other numbers. Throws Error for a parameter without a size and a size that
// names no parameter.
void call_with(Source& source, const std::vector<Input>& inputs, const std::string& path,
               const std::vector<std::pair<std::string, std::int64_t>>& sizes);

// Adds the main that calls a Fortran program's own.
void add_fortran_main(llvm::Module& module);

}  // namespace redblue::frontend::llvm_ir
