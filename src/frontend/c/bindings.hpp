// SPDX-License-Identifier: BSD-3-Clause
// What names stand for where a function is read at its call, or a pointer or reference is another
// name of something.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/c/ast/ast.hpp"

namespace redblue::frontend::c {

struct Bound;

// Declaration key -> what it stands for; "this" -> the object of a member function. Null: nothing.
using Bindings = std::shared_ptr<const std::map<std::string, Bound>>;

// An expression, and what the names in it stand for.
struct Bound {
  Node value;
  Bindings names;
};

std::optional<Bound> bound_to(const Node& declaration, const Bindings& names);
Bindings with(const Bindings& names, const std::string& key, const Bound& value);

// What names stand for inside a function that is called.
Bindings names_inside(const Node& call, const Bindings& names);

// An element as written, names looked through: the array, and for each dimension expressions whose
// sum is the subscript.
struct Element {
  Identity array;
  std::optional<Node> declaration = {};  // of a variable, not of a member
  std::vector<std::vector<Bound>> subscripts = {};
  bool points_inside = false;  // an address: the next subscript adds to the last one
};

// p[j] where p is A + i, A[i], &A[i][k] or the like; v[i], v.at(i), v.data() of containers; members
// of structures; what a function returns. Throws Error (file, line, reason) for anything else.
Element element_of(const Node& expression, const Bindings& names);

// Whether the expression is something that stays where it is, no value made for the moment.
bool is_place(const Node& expression);

// M.data or M->data of a parameter or a global variable M, and members of this object.
std::optional<Identity> member(const Node& node, const Bindings& names);

// Whether the variable an element belongs to lives longer than the function it is named in.
bool outlives_function(const Node& variable);

}  // namespace redblue::frontend::c
