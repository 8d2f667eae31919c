// SPDX-License-Identifier: BSD-3-Clause
// The standard containers of C++ that are read: vector, array, span, valarray, unique_ptr<T[]>.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/c/bindings.hpp"

namespace redblue::frontend::c {

// Whether the type is one of them, and whether its elements live and die with it.
bool is_container(CXType type);
bool owns_elements(CXType type);

// v[i] and v.at(i), with a subscript; v.data(), v.get(), and a span made from v without one.
struct ContainerAccess {
  Node container;
  std::optional<Node> subscript;
};
std::optional<ContainerAccess> container_access(const Node& call);

// v.size(), std::size(v), std::ssize(v).
struct Size {
  std::string container;                // its name
  std::optional<long long> constant{};  // std::array<T, 4>
  std::optional<Bound> given{};         // what a vector of the function is made with
  std::string parameter{};              // else: a parameter of the program
  bool of_each_row = false;             // of A[i], whatever i
};
std::optional<Size> size_of(const Node& call, const Bindings& names);
Size size_of_container(const Node& container, const Bindings& names);

// What the elements of a container, or of an array of C, that is declared here are set to.
enum class Start { none, constants, unknown };
Start start_of_elements(const Node& variable);

// for (double x : v): the variable, v, and the statement.
Node variable_of(const Node& range_for);
Node range_of(const Node& range_for);
Node body_of_range_for(const Node& range_for);

// std::complex, which is read as one value.
bool is_number(CXType type);

// Whether an expression or a variable has the type of a lambda.
bool is_lambda(const Node& expression);

// Adds a line that is not there yet.
void add_once(std::vector<std::string>& lines, const std::string& line);

}  // namespace redblue::frontend::c
