// SPDX-License-Identifier: BSD-3-Clause
// The inversions proper, on a grid, in place; L is lower triangular, or the transposed of an upper
// triangular matrix. Block row and column k are of step k.
#pragma once

#include "linalg/inverse/grid.hpp"

namespace redblue::linalg::inverse {

// L becomes X = L^-1, by forward substitution in L X = I [ducroz1992]: the right residual |L X - I|
// is of the order of eps |L| |X|, element by element. W(i, j), which L(i, j) becomes on its way, is
// what - sum over k of L(i, k) X(k, j) has come to. For k from the first:
//
//   L(k, k) to the ranks with row k                     broadcast along the grid row
//   X(k, k) = L(k, k)^-1, X(k, j) = L(k, k)^-1 W(k, j)  trsm, j < k
//   X(k, j) for j <= k                                  broadcast along the grid column
//   L(i, k) for i > k                                   broadcast along the grid row
//   W(i, j) -= L(i, k) X(k, j), i > k, j <= k           gemm
//
// With `unit` the diagonal is not touched.
template <class T>
void invert_triangle(const comm::Communicator& communicator, const Place& place,
                     const View<T>& matrix, bool unit, T* memory, Traffic& traffic);

// The lower triangle becomes that of C = L' L. For k from the first:
//
//   L(k, j) for j <= k       broadcast along the grid column
//   L(k, i) for i <= k       to the ranks with block row i of C
//   C(i, j) += L(k, i)' L(k, j), j <= i <= k
template <class T>
void square_triangle(const comm::Communicator& communicator, const Place& place,
                     const View<T>& matrix, T* memory, Traffic& traffic);

// The upper triangle of `matrix`, Y, and the unit triangle L below it become X = Y L^-1. `copy`:
// as many words as the rank has of the matrix, where L goes first. For k from the last:
//
//   X(:, k) = Y(:, k) L(k, k)^-1     trsm; L(k, k) broadcast along the grid column
//   X(:, k)                          broadcast along the grid row
//   L(k, j) for j < k                broadcast along the grid column
//   Y(:, j) -= X(:, k) L(k, j), j < k  gemm
template <class T>
void solve_with_unit_triangle(const comm::Communicator& communicator, const Place& place,
                              const View<T>& matrix, T* copy, T* memory, Traffic& traffic);

// The lower triangle of a Hermitian (symmetric) A becomes that of C = L^-1 A L'^-1 [poulson2012].
// For k from the first:
//
//   C(k, k) = L(k, k)^-1 A(k, k) L(k, k)'^-1, and L(k, k)   to the ranks with column k
//   C(k, j) = L(k, k)^-1 A(k, j), j < k                      broadcast along the grid column
//   A(i, k) = A(i, k) L(k, k)'^-1 - L(i, k) C(k, k) / 2      with L(i, k) along the grid row, and
//                                                            to the ranks with block column i
//   A(i, j) -= L(i, k) C(k, j), i > k > j                    gemm
//   A(i, j) -= L(i, k) A(j, k)' + A(i, k) L(j, k)', i >= j > k
//   A(i, k) -= L(i, k) C(k, k) / 2
template <class T>
void solve_on_both_sides(const comm::Communicator& communicator, const Place& place,
                         const View<T>& a, const View<const T>& l, T* memory, Traffic& traffic);

// Words of its memory.
template <class T>
std::int64_t two_sided_solve_words(const Place& place);

// The lower triangle of a Hermitian (symmetric) A becomes that of C = L' A L. Step k takes in what
// row k of L adds, so that A(i, j) is that of L' A L for i, j < k, and of A L for i >= k > j. For k
// from the first:
//
//   L(k, k) to the ranks with column k, with A(k, k) to those with row k
//   W(k, j) = A(k, j) + A(k, k) L(k, j) / 2, j < k   with L(k, j) along the grid column, and to the
//                                                    ranks with block row j
//   A(i, k) for i > k                                along the grid row
//   A(i, j) += L(k, i)' W(k, j) + W(k, i)' L(k, j), j <= i < k
//   A(i, j) += A(i, k) L(k, j), j < k < i            gemm
//   A(k, j) = L(k, k)' (W(k, j) + A(k, k) L(k, j) / 2), j < k
//   A(i, k) = A(i, k) L(k, k), i > k, and A(k, k) = L(k, k)' A(k, k) L(k, k)
template <class T>
void multiply_on_both_sides(const comm::Communicator& communicator, const Place& place,
                            const View<T>& a, const View<const T>& l, T* memory, Traffic& traffic);
template <class T>
std::int64_t two_sided_product_words(const Place& place);

}  // namespace redblue::linalg::inverse
