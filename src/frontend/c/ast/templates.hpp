// SPDX-License-Identifier: BSD-3-Clause
// Function templates of C++: libclang shows the instances of those that are used.
#pragma once

#include <string>

#include "frontend/c/ast/ast.hpp"

namespace redblue::frontend::c {

// Code to put behind a file's text, so that each of its function templates is used at least once:
// type parameters of templates that the file does not use are double, their numbers stand for
// parameters of the program (names_unknown_argument). Empty where there are none.
std::string uses_of_templates(const Node& root, const std::string& path);

// Whether the expression names a number of a template that no use in the file sets.
bool names_unknown_argument(const Node& expression);

// Whether the node is the name of such a number: N in `template <int N>`.
bool is_unknown_argument(const Node& node);

}  // namespace redblue::frontend::c
