// SPDX-License-Identifier: BSD-3-Clause
// Fortran and LLVM IR -> Program: the counting model's loops, with what they do with memory, become
// C, which the C front end reads.
#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::frontend::llvm_ir {

// Whether the file is one that parse() reads, by its ending: Fortran or LLVM IR.
bool reads(const std::string& path);

// A function of a file in Fortran, or of LLVM IR (.ll, .bc); `function` empty: main, or the only
// one that no other calls. `flags` go to the compiler. Different names are different memory.
//
// Read: loops that count up or down to sums of sizes, branches (those on data as the C front end
// has them), arrays of fixed, explicit and assumed shape, allocatable and automatic ones, array
// expressions, sum and dot_product where flang writes their loops, functions of the file, of which
// calls are looked through. Throws Error "FILE:LINE: reason; rewrite" for anything else.
program::Program parse(const std::string& path, const std::string& function,
                       const std::vector<std::string>& flags);

// The C that stands for it.
std::string as_c(const std::string& path, const std::string& function,
                 const std::vector<std::string>& flags);

}  // namespace redblue::frontend::llvm_ir
