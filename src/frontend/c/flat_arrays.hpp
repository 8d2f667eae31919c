// SPDX-License-Identifier: BSD-3-Clause
// Arrays whose rows stand one behind the other in one dimension, A[i * n + j] for A[i][j]: the
// dimensions are found again from the subscripts.
//
// A subscript is read as a sum of terms, each a constant times lengths times one affine rest.
// The products in front of rests that move are the strides of the array, n and 1 here. Where every
// stride divides the next, and what is left for a dimension stays below the ratio of two strides,
// row and column determine the element and the element determines row and column: both readings
// have the same dependences.
//
// A sum that is a factor is multiplied out, i * (n + 1) = i * n + i, or stays whole as the length
// of a row, A[i * (n + 2) + j].
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/c/affine.hpp"

namespace redblue::frontend::c {

// A parameter, or a sum of multiples of parameters and a number: n + 2.
struct Length {
  std::map<std::string, long long> multiples;  // of each parameter
  long long plus = 0;

  auto operator<=>(const Length&) const = default;
  bool is_sum() const { return multiples.size() > 1 || plus != 0; }
};

// A product: factor * length * length * ..
struct Stride {
  long long factor = 1;
  std::vector<Length> lengths;  // sorted; one occurs as often as it is a factor

  bool operator==(const Stride&) const = default;
  bool is_one() const { return factor == 1 && lengths.empty(); }
};

// times * rest; without a rest the stride itself.
struct Term {
  Stride times;
  std::optional<Bound> rest;  // affine, names something that moves
};

// What names mean where subscripts are read.
struct Names {
  const std::set<std::string>& written;     // declaration keys assigned in the region
  const std::set<std::string>& reassigned;  // of these, those that change after their declaration
  const Bindings& bindings;                 // what pointers, references and parameters stand for
  bool whole_sums = false;                  // whether a factor n + 2 stays whole
};

// The sum an integer expression is; nothing where a product has two factors that move.
std::optional<std::vector<Term>> terms_of(const Node& expression, const Names& names);
std::optional<std::vector<Term>> terms_of(const Bound& expression, const Names& names);

// The strides of an array's dimensions, largest first, the last 1. One dimension: { 1 }.
using Strides = std::vector<Stride>;

// The shape that all these subscripts fit; nothing where strides do not divide one another.
std::optional<Strides> shape_of(const std::vector<std::vector<Term>>& subscripts);

// Whether rows are as long as a sum says, so that subscripts are read with whole sums.
bool has_sums(const Strides& shape);

// Ratio of two neighbouring strides: how long the dimension behind `dimension` is. Nothing where
// that is no affine expression.
std::optional<isl::pw_aff> extent(const Strides& shape, std::size_t dimension, const Scope& scope);

// A subscript cut into one per dimension, and for which sizes some part leaves its extent.
struct CutSubscript {
  std::vector<isl::pw_aff> parts;
  isl::set outside;  // of the parameters
};

// Throws Error (file, line, reason) where a part is not affine.
CutSubscript cut(const Node& subscript, const std::vector<Term>& terms, const Strides& shape,
                 const Scope& scope);

}  // namespace redblue::frontend::c
