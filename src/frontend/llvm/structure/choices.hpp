// SPDX-License-Identifier: BSD-3-Clause
// Values that depend on the path taken, as one formula where they have one.
#pragma once

#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

#include "counting/model/model.hpp"

namespace redblue::frontend::llvm_ir {

// max or min for `x < y ? y : x` and the like; nothing for other choices. One value for each path.
std::optional<counting::Expr> extreme(const counting::Branch& branch,
                                      const std::vector<counting::Expr>& values);

// A value that is also that of the other paths, where these are taken for one number only:
// n == 0 ? 0 : 8 * n.
std::optional<counting::Expr> most_general(const counting::Branch& branch,
                                           const std::vector<counting::Expr>& values);

// What an allocation yields, or null where nothing is allocated: loops over pointers compare them
// with others of the same object only, for which it makes no difference.
std::optional<counting::Expr> pointer_unless_null(const llvm::PHINode& phi,
                                                  const std::vector<counting::Expr>& values);

}  // namespace redblue::frontend::llvm_ir
