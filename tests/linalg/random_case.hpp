// SPDX-License-Identifier: BSD-3-Clause
// One random case: what it computes, in words, and the first thing that was wrong with it.
#pragma once

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "layout/arrangement.hpp"
#include "linalg/random_layouts.hpp"
#include "matgen/check.hpp"
#include "redblue/error.hpp"
#include "redblue/gemm.hpp"
#include "redblue/layout.hpp"
#include "redblue/op.hpp"
#include "redblue/traffic.hpp"

namespace redblue {

using namespace linalg;
using comm::conjugated;

struct Case {
  Case(std::uint64_t seed, comm::Communicator& communicator) : dice(seed), world(communicator) {}

  Dice dice;
  comm::Communicator& world;
  std::string facts;          // shape, layouts and options: what a failure's line says
  std::string wrong;          // the first thing that is, on this rank; empty: nothing
  std::int64_t compared = 0;  // elements of results on this rank

  template <class... Parts>
  void note(const Parts&... parts) {
    facts += text(facts.empty() ? "" : "; ", parts...);
  }
  template <class... Parts>
  void check(bool right, const Parts&... what) {
    if (!right && wrong.empty()) wrong = text(what...);
  }
  template <class A, class B>
  void check_equal(const A& got, const B& expected, const char* what) {
    check(got == expected, what, " is ", got, ", expected ", expected);
  }
  // What an element of a matrix is and should be.
  template <class A, class B>
  void check_element(bool right, const char* matrix, std::int64_t row, std::int64_t column,
                     const A& got, const B& expected, double tolerance) {
    ++compared;
    if (right) return;
    check(false, matrix, "(", row, ", ", column, ") is ", got, ", expected ", expected, " within ",
          tolerance);
  }

  Layout layout(std::int64_t rows, std::int64_t columns) {
    return random_layout(dice, rows, columns, world.size(), world.rank());
  }
  Layout layout_before(Op op, std::int64_t rows, std::int64_t columns) {
    return random_layout_before(op, dice, rows, columns, world.size(), world.rank());
  }
};

// The words of memory that a refusal ends in.
inline Words least_named(const Error& refusal) {
  const std::string message = refusal.what();
  return Words(std::stoll(message.substr(message.rfind(' ') + 1)));
}

// A matrix in its layout: this rank's array, and what stands where in op of it.
template <class T>
struct Spread {
  std::vector<T> values;
  std::vector<layout::Patch> patches;  // of the matrix as stored
};

template <class T>
Spread<T> spread(const Layout& layout, const comm::Communicator& world, std::uint64_t seed) {
  const auto me = static_cast<std::size_t>(world.rank().value);
  Spread<T> s;
  s.patches = layout::arrangement(layout, world.size()).of_rank[me];
  s.values = matgen::random_array<T>(s.patches, array_words(layout, world.rank()), seed);
  return s;
}

// Words of the array between the columns, which are the caller's affair.
template <class T>
std::int64_t gaps(const Spread<T>& s) {
  std::int64_t words = static_cast<std::int64_t>(s.values.size());
  for (const layout::Patch& p : s.patches) words -= p.size();
  return words;
}

// op of the random matrix `seed`, rows x columns, whole.
template <class T>
std::vector<T> whole(std::uint64_t seed, Op op, std::int64_t rows, std::int64_t columns) {
  std::vector<T> values;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const T x = op == Op::none ? matgen::random_number<T>(seed, i, j)
                                 : matgen::random_number<T>(seed, j, i);
      values.push_back(op == Op::conjugate_transpose ? conjugated(x) : x);
    }
  }
  return values;
}

// What an update adds to and what it must give. With beta = 0, C must not be read.
template <class T>
struct Target {
  Spread<T> before;
  std::vector<T> wanted;
};

template <class T>
Target<T> target(const Case& c, const Layout& layout, std::int64_t rows, std::int64_t columns,
                 T beta) {
  Target<T> t = {spread<T>(layout, c.world, matgen::seed_c),
                 whole<T>(matgen::seed_c, Op::none, rows, columns)};
  if (beta != T(0)) return t;
  for (T& x : t.before.values) x = T(std::numeric_limits<Real<T>>::quiet_NaN());
  for (T& x : t.wanted) x = T(0);
  return t;
}

// Checks that `after` holds `wanted` in this part of the patches and is `before`, bit by bit,
// elsewhere.
template <class T>
void check_matrix(Case& c, const char* matrix, const Spread<T>& before, const std::vector<T>& after,
                  const std::vector<T>& wanted, std::int64_t rows, double tolerance,
                  layout::Part part = layout::Part::all) {
  std::vector<bool> inside(after.size());
  layout::for_each_element(before.patches, [&](std::int64_t row, std::int64_t column,
                                               std::int64_t place) {
    if (part == layout::Part::lower ? row < column : part == layout::Part::upper && row > column) {
      return;
    }
    const auto at = static_cast<std::size_t>(place);
    inside[at] = true;
    const T& expected = wanted[static_cast<std::size_t>(row + column * rows)];
    const double off = std::abs(after[at] - expected);
    // false for what is not a number
    c.check_element(off <= tolerance, matrix, row, column, after[at], expected, tolerance);
  });
  for (std::size_t x = 0; x < after.size(); ++x) {
    if (inside[x] || std::memcmp(&after[x], &before.values[x], sizeof(T)) == 0) continue;
    c.check(false, "word ", x, " of the array of ", matrix, ", outside the result, was ",
            before.values[x], " and is ", after[x]);
  }
}

// Checks that ranks have received, in all, what they have sent.
inline void check_balance(Case& c, const Traffic& traffic) {
  std::vector<double> totals = {static_cast<double>(traffic.words_received.value),
                                static_cast<double>(traffic.words_sent.value)};
  c.world.sum(totals);
  c.check(totals[0] == totals[1], "ranks receive ", totals[0], " words and send ", totals[1]);
}

// Checks that the busiest rank received what the plan said.
inline void check_traffic(Case& c, const Traffic& traffic, const Cost& planned) {
  c.check_equal(c.world.maximum(traffic.words_received.value), planned.words.value,
                "words received, which the plan says,");
  c.check_equal(c.world.maximum(traffic.messages_received.value), planned.messages.value,
                "messages received, which the plan says,");
}

}  // namespace redblue
