// SPDX-License-Identifier: BSD-3-Clause
// Statements that sum products into an element: which of their loops a register block spans.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::schedule::codegen {

// What a read has to do with a loop.
enum class Stride {
  none,  // the element does not depend on it
  one,   // one step further is the next element in memory
  other,
};

// C[i][j] += A[i][k] * B[k][j]: `rows` i are unrolled, `columns` j fill vectors, `sums` k run
// inside with the elements of C in registers. Numbers are positions among the iterators.
struct Contraction {
  std::size_t statement = 0;
  int rows = -1;
  int columns = -1;
  std::vector<int> sums;
  std::vector<int> others;  // loops of the written element that stay outside
  // Of each read that is not the written element itself.
  struct Operand {
    std::size_t read = 0;
    Stride rows = Stride::none, columns = Stride::none;
  };
  std::vector<Operand> operands;
  // Operands whose columns are not next to each other in memory: a copy that is transposes them.
  std::vector<std::size_t> transposed;  // reads
  std::string element;                  // "double" or "float"
  // Where the source's text has the product's leading factors that are the same in all columns, two
  // or more of them: "alpha * A[i][k]".
  std::optional<program::Span> factors;
};

// Nothing where the statement is none: it writes an element once, or does what vectors cannot.
std::optional<Contraction> contraction_of(const program::Program& program, std::size_t statement);

// The coefficient of an iterator where it is a whole number; nothing where floors are involved.
std::optional<long> coefficient(const isl::aff& value, int iterator);

// Whether both touch the same element in every instance.
bool same_element(const program::Access& a, const program::Access& b);

// How far in memory one step of iterator d takes the access; `other` too where it is not known.
Stride stride_of(const program::Access& access, int iterator);

}  // namespace redblue::schedule::codegen
