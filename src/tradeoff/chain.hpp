// SPDX-License-Identifier: BSD-3-Clause
// Dependency chains through a loop nest, and the intervals between two of their vertices.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"
#include "symbolic/expr.hpp"

namespace redblue::tradeoff {

// What one value means to another: an instance of `reader` reads what `values` of it computed.
struct Flow {
  const program::Statement* reader;
  std::string writer;
  isl::map values;    // reading instance -> computing instance
  bool accumulates;   // reads the very element it writes, from an instance of its own statement
  std::string array;  // the value stands in
  isl::map elements;  // reading instance -> its element
};

// All unconditional reads of computed values.
std::vector<Flow> flows_of(const program::Program& program);

// Sets of instances by statement.
using Instances = std::map<std::string, isl::set>;

// A chain v(t), t = t_first .. t_last: the instance of `statement` whose iterator i is t + shift_i.
// `inside` has, in the parameters window_first < window_last, instances that depend on
// v(window_first) and that v(window_last) depends on (window_first and window_last change places
// where the chain runs backwards): a part of that dependency interval, both ends included.
struct Chain {
  const program::Statement* statement;
  std::vector<int> shifts;
  bool backwards = false;
  bool any_order = true;  // of summation: no instance hangs on its own sum alone
  Instances inside;
  symbolic::Expr interval;  // instances of `inside`, in `window_length` = vertices of the chain
  symbolic::Expr length;    // vertices of the whole chain, in the program's parameters
  int order = 0;            // the interval's degree in `window_length`

  std::string text() const;  // "S3(t - 1, t, t)"
};

inline constexpr long least_size = 4;  // of every parameter: chains are for sizes from here up
inline constexpr const char* window_first = "window_first";
inline constexpr const char* window_last = "window_last";
inline constexpr const char* window_length = "b";

// The chain whose intervals grow fastest; nullopt where no interval of the chains tried grows
// faster than its ends move apart. Tried are chains through instances whose iterators all are t or
// t + 1, and intervals of instances with iterators between the ends' t, or free.
std::optional<Chain> fastest_chain(const program::Program& program, const std::vector<Flow>& flows);

}  // namespace redblue::tradeoff
