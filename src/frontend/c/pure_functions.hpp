// SPDX-License-Identifier: BSD-3-Clause
// The C math functions a statement may call.
#pragma once

#include <string>

#include "frontend/c/ast/ast.hpp"

namespace redblue::frontend::c {

// True for functions whose value depends on their arguments alone and that change nothing.
bool is_pure_function(const std::string& name);

// a + b and the like of std::complex.
bool is_operator_of_numbers(const Node& call);

}  // namespace redblue::frontend::c
