// SPDX-License-Identifier: BSD-3-Clause
// How a matrix is read: as stored, transposed or conjugate-transposed.
#pragma once

namespace redblue {

enum class Op { none, transpose, conjugate_transpose };

// As the BLAS writes it.
constexpr char letter(Op op) {
  return op == Op::none ? 'N' : op == Op::transpose ? 'T' : 'C';
}

}  // namespace redblue
