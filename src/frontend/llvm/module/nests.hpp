// SPDX-License-Identifier: BSD-3-Clause
// A module made ready for reading what its loop nests do with memory.
#pragma once

#include <llvm/IR/Function.h>

namespace redblue::frontend::llvm_ir {

// Loads and stores of records, which Fortran's descriptors are, member by member; lower bounds that
// descriptors of empty arrays have, 1, are left out, as no element of these is accessed.
void split_records(llvm::Function& function);

// Accesses of variables of real and complex numbers as volatile, which LLVM's passes leave alone,
// or as they were: these variables keep their names and places.
void hold_reals(llvm::Function& function, bool hold);

// Real numbers that depend on the path taken as variables in memory, which the paths set.
void reals_to_memory(llvm::Function& function);

}  // namespace redblue::frontend::llvm_ir
