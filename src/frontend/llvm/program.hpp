// SPDX-License-Identifier: BSD-3-Clause
// Programs of C, C++, Fortran and LLVM IR, as counting sees them.
#pragma once

#include <string>
#include <vector>

#include "counting/model/model.hpp"
#include "frontend/llvm/ir/reading.hpp"

namespace redblue::frontend::llvm_ir {

// `function` empty: main, or the only one that no other calls. `flags` go to the compiler.
// `threads`: where they are given, functions that pthread_create begins are counted.
// Throws Error for what cannot be read or compiled, and for an unknown function.
counting::Program read_program(const std::string& path, const std::string& function,
                               const std::vector<std::string>& flags, const ThreadNames& threads);

}  // namespace redblue::frontend::llvm_ir
