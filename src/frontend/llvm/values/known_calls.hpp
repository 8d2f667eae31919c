// SPDX-License-Identifier: BSD-3-Clause
// Values that counting knows: how many processes or threads there are, and which of them this is.
// Functions of libraries yield them, or variables that the user names.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <vector>

#include "frontend/llvm/ir/reading.hpp"

namespace redblue::frontend::llvm_ir {

// What the call returns.
std::optional<counting::Expr> number_returned(const llvm::CallBase& call, Reading& reading);

// What the call writes where argument `argument` points to.
std::optional<counting::Expr> number_written(const llvm::CallBase& call, unsigned argument,
                                             Reading& reading);

// The arguments whose memory a procedure of MPI writes, now or later; nothing for other calls.
std::optional<std::vector<unsigned>> arguments_written(const llvm::CallBase& call);

// What the user says a variable's value is; a member's too, of a structure that is one of many.
std::optional<counting::Expr> number_named(const llvm::Value& value, Reading& reading);

// A call that yields a number below, at or above 0, as one text stands before another.
bool compares_texts(const llvm::Instruction& instruction);

}  // namespace redblue::frontend::llvm_ir
