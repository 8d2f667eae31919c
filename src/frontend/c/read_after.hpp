// SPDX-License-Identifier: BSD-3-Clause
// Which final values of a program something may read after it.
//
// Storage that dies with the function (variables and arrays of its own, parameters passed by value,
// memory it allocates) is read after the program by what follows in the function: directly, or, if
// its address was given away (passed to a call, returned, kept in a pointer), by anything. All
// other storage may be read by the function's caller.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/c/ast/ast.hpp"
#include "program/program.hpp"

namespace redblue::frontend::c {

// Sets Array::read_after. `declarations`: of the program's arrays, by their names; `region`: the
// statements of `function` that were read as the program.
void mark_dead_values(program::Program& program, const std::map<std::string, Node>& declarations,
                      const Node& function, const std::vector<Node>& region);

}  // namespace redblue::frontend::c
