// SPDX-License-Identifier: BSD-3-Clause
// The reference of compare einsum: an even share of a summation by one rank alone, as matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "redblue/einsum_model.hpp"

namespace redblue::cli {

// Operands are arrays in C with their letters as written, as others have them. Two at a time, in
// the order with the fewest products, they are transposed into matrices, multiplied by BLAS, batch
// by batch, and transposed back. Nothing is sent: `part` of `parts` takes its part of the longest
// letter of the result, or does the whole where the result is one number.
template <class T>
class TransposedEinsum {
 public:
  TransposedEinsum(const EinsumShape& shape, int part, int parts);
  void run();
  // Whether every element of the result is what operands full of 1/2 give. After run().
  bool is_right() const;

 private:
  // One transposition: extents and strides, the target dense in this order, the first fastest.
  struct Move {
    std::vector<std::int64_t> extents, strides;
  };
  struct Product {
    std::size_t left = 0, right = 0;  // numbers of arrays_
    Move from_left, from_right, to_result;
    std::int64_t m = 1, n = 1, k = 1, batches = 1;
    std::vector<T> a, b, c, result;
  };

  static void gather(const Move& move, const T* from, T* to);
  static void scatter(const Move& move, const T* from, T* to);

  EinsumShape shape_;
  std::vector<std::vector<T>> arrays_;
  std::vector<Product> products_;
};

}  // namespace redblue::cli
