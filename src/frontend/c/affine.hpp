// SPDX-License-Identifier: BSD-3-Clause
// Affine integer expressions and conditions of C, as isl piecewise affine functions and sets.
#pragma once

#include <map>
#include <set>
#include <string>

#include "frontend/c/bindings.hpp"
#include "frontend/c/containers.hpp"
#include "program/program.hpp"

namespace redblue::frontend::c {

// What integer names mean at a point of the code.
struct Scope {
  isl::set domain;                            // { [loop counters] }, the guards so far
  std::map<std::string, isl::pw_aff> values;  // declaration key -> value over `domain`'s space
  const std::set<std::string>* written;       // declaration keys assigned in the region
  std::set<std::string> calls = {};           // keys of the functions around, read in place
  Bindings names = {};                        // what pointers, references and parameters stand for
  std::vector<std::string>* assumed = nullptr;  // where to say what has to be assumed
};

// The scope in which an expression is meant as it was written.
Scope meant(const Bound& expression, const Scope& scope);

// The scope inside a function that is read where it is called: its parameters stand for the
// arguments. Throws Error where it is read already: it calls itself.
Scope inside_call(const Node& call, const Scope& scope);

isl::pw_aff constant(long long value, const Scope& scope);
isl::pw_aff parameter(const std::string& name, const Scope& scope);

// FILE:LINE: the expression is not affine.
Error not_affine(const Node& expression);

// The value of an affine integer expression; throws Error (file, line, reason) for any other.
isl::pw_aff affine(const Node& expression, const Scope& scope);
isl::pw_aff affine(const Bound& expression, const Scope& scope);

// What v.size() is, of a container `v`.
isl::pw_aff size_value(const Node& where, const Size& size, const Scope& scope);

// Where an affine condition holds, a subset of scope.domain's space; throws Error likewise.
isl::set condition(const Node& expression, const Scope& scope);

// Whether every name in the expression has an affine meaning (parameters, loop counters), so that
// condition() may be tried: conditions on data answer false.
bool is_integer_control(const Node& expression, const Scope& scope);

}  // namespace redblue::frontend::c
