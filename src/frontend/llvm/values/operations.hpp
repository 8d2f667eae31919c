// SPDX-License-Identifier: BSD-3-Clause
// What a block of the IR does, by element type.
#pragma once

#include <llvm/IR/BasicBlock.h>

#include "counting/model/model.hpp"

namespace redblue::frontend::llvm_ir {

// Floating-point operations (a fused multiply-add is two, a call of the mathematical library none
// but for square roots), loads and stores of what is not in a register, one for each element of a
// vector.
counting::Operations operations_of(const llvm::BasicBlock& block);

bool is_empty(const counting::Operations& operations);

}  // namespace redblue::frontend::llvm_ir
