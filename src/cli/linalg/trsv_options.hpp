// SPDX-License-Identifier: BSD-3-Clause
// What run and compare share for triangular solves: which triangle, transposed or not, its numbers.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include "matgen/check.hpp"
#include "redblue/op.hpp"
#include "redblue/symmetric.hpp"

namespace redblue::cli {

// --triangle --op --unit.
struct TrsvFormTexts {
  std::string triangle = "lower", op = "n";
  bool unit = false;

  void add_to(CLI::App& command) {
    command.add_option("--triangle", triangle, "Of T: lower or upper")
        ->check(CLI::IsMember({"lower", "upper"}))
        ->capture_default_str();
    command.add_option("--op", op, "op(T): n (T), t (its transpose), c (conjugate transpose)")
        ->check(CLI::IsMember({"n", "t", "c"}))
        ->capture_default_str();
    command.add_flag("--unit", unit, "T's diagonal is all ones and not read");
  }

  bool lower() const { return triangle == "lower"; }
  Triangle half() const { return lower() ? Triangle::lower : Triangle::upper; }
  Op operation() const {
    return op == "n" ? Op::none : op == "t" ? Op::transpose : Op::conjugate_transpose;
  }
  // "L^T x = b".
  std::string equation() const {
    const std::string power = op == "n" ? "" : op == "t" ? "^T" : "^H";
    return (lower() ? "L" : "U") + power + " x = b" + (unit ? ", unit diagonal" : "");
  }
  // Element of a random triangle of order n whose solutions do not grow.
  template <class T>
  T number(std::int64_t row, std::int64_t column, std::int64_t n) const {
    return lower() ? matgen::triangular_number<T>(row, column, n)
                   : matgen::triangular_number<T>(column, row, n);
  }
};

}  // namespace redblue::cli
