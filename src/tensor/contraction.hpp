// SPDX-License-Identifier: BSD-3-Clause
// Products of tensors in one rank's memory: C(..) += A(..) B(..) over any indices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace redblue::tensor {

// Strides of a tensor in memory along every index of the iteration space; 0: it has not the index.
using Strides = std::vector<std::int64_t>;

// C += or = alpha A B for all points of a box. Made once for some extents and strides, run any
// number of times. By gemm, in loops over what gemm cannot take, or in a nest of loops whose
// innermost runs along a unit stride.
template <class T>
class Contraction {
 public:
  // No `b`: C += alpha A.
  Contraction(const std::vector<std::int64_t>& extents, Strides a, std::optional<Strides> b,
              Strides c);

  // `overwrite`: what C holds before does not matter. Allocates nothing.
  void run(T alpha, const T* a, const T* b, bool overwrite, T* c) const;

 private:
  // One loop, or one dimension of a gemm.
  struct Loop {
    std::int64_t extent = 1;
    std::int64_t a = 0, b = 0, c = 0;  // strides
  };

  void fuse();
  bool takes_gemm();
  void choose_innermost();
  void clear(T* c) const;
  template <class F>
  void for_each_outer(const T* a, const T* b, T* c, F f) const;
  void multiply(T alpha, const T* a, const T* b, T beta, T* c) const;
  void innermost(T alpha, const T* a, const T* b, T* c) const;

  std::vector<Loop> loops_;   // outside the kernel, the last changes fastest
  std::vector<Loop> result_;  // those of C, for clearing it
  bool by_gemm_ = false;
  bool swapped_ = false;       // C' = B' A'
  bool sums_outside_ = false;  // several runs of the kernel add to the same elements
  bool has_b_ = true;
  bool empty_ = false;
  Loop m_, n_, k_, inner_;
};

}  // namespace redblue::tensor
