// Functions of libraries whose results counting knows: how many processes or threads there are,
// and which of them this is.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <optional>

#include "frontend/llvm/ir/reading.hpp"

namespace redblue::frontend::llvm_ir {

// What the call returns.
std::optional<counting::Expr> number_returned(const llvm::CallBase& call, Reading& reading);

// What the call writes where argument `argument` points to.
std::optional<counting::Expr> number_written(const llvm::CallBase& call, unsigned argument,
                                             Reading& reading);

}  // namespace redblue::frontend::llvm_ir
