// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric/triangle_product.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "comm/number.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "linalg/symmetric/triangle_parts.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::conjugated;
using layout::Arrangement;
using layout::Part;
using layout::Patch;

TriangleProductSetup setup_of(const SymmLayouts& layouts, int ranks) {
  const bool upper = layouts.triangle == Triangle::upper;
  const bool right = layouts.side == Side::right;
  TriangleProductSetup setup;
  setup.hermitian = layouts.hermitian;
  setup.a = arrangement_of(layouts.a, upper ? Op::transpose : Op::none, ranks);
  // C = B A is C^T = A^T B^T, and A^T of a Hermitian A is A's conjugate
  setup.conjugate_a = layouts.hermitian && upper != right;
  const Op op = right ? Op::transpose : Op::none;
  setup.b = arrangement_of(layouts.b, op, ranks);
  setup.c = arrangement_of(layouts.c, op, ranks);
  return setup;
}

void decompose(TriangleProductSetup& setup, const SyrkPlanRequest& request) {
  setup.decomposition = choose_syrk(request);
  // else BLAS would have to multiply by conjugates that are not transposed
  const bool usable =
      !setup.hermitian || std::all_of(setup.a.of_rank.begin(), setup.a.of_rank.end(),
                                      [&](const std::vector<Patch>& patches) {
                                        return patches.empty() ||
                                               patches.front().row_major == setup.conjugate_a;
                                      });
  setup.in_place = usable && pays_in_place(setup.decomposition, setup.a, {setup.b, setup.c});
  if (setup.in_place) setup.decomposition = shape_only(request.shape);
}

std::string name_of(const TriangleProductSetup& setup) {
  return setup.in_place ? "A in place" : setup.decomposition.name();
}

template <class T>
TriangleProduct<T>::TriangleProduct(const Communicator& communicator,
                                    const TriangleProductSetup& setup)
    : hermitian_(setup.hermitian && !std::is_floating_point_v<T>),
      in_place_(setup.in_place),
      conjugated_(setup.in_place && setup.conjugate_a) {
  const TriangleDecomposition& d = setup.decomposition;
  const int ranks = communicator.size();
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  const Arrangement panels =
      in_place_ ? panels_in_place(setup.a, d.shape.k, {0, d.shape.k}) : row_panels(d, ranks, 0);
  for (const Patch& panel : panels.of_rank[me]) {
    panel_rows_ = panel.leading;
    panel_columns_ = panel.columns.size();
  }
  comm::TransferOptions options;
  if (in_place_) {
    for (const Patch& local : setup.a.of_rank[me]) blocks_ = blocks_in_place(local);
  } else {
    const Arrangement pairs = pair_blocks(d, ranks);
    blocks_ = blocks_on_panel(d, me, pairs.of_rank[me]);
    for (const Patch& pair : pairs.of_rank[me]) b_panel_ += pair.size();
    options.part = Part::lower;
    options.conjugate = setup.conjugate_a;
    a_transfer_.emplace(communicator, setup.a, pairs, options);
  }
  options = {};
  options.tag = 1;
  b_transfer_.emplace(communicator, setup.b, panels, options);
  options.tag = 2;
  options.add = true;
  c_transfer_.emplace(communicator, panels, setup.c, options);
  lay_out_workspace();
}

// A's blocks, B's panel, C's panel, a square on the diagonal; transfers' buffers.
template <class T>
void TriangleProduct<T>::lay_out_workspace() {
  c_panel_ = b_panel_ + panel_rows_ * panel_columns_;
  square_ = c_panel_ + panel_rows_ * panel_columns_;
  buffers_ = square_;
  for (const SymmetricBlock& f : blocks_) {
    if (f.diagonal) buffers_ = std::max(buffers_, square_ + f.rows * f.rows);
  }
  const std::int64_t in = b_transfer_->buffer() + (a_transfer_ ? a_transfer_->buffer() : 0);
  workspace_ = buffers_ + std::max(in, c_transfer_->buffer());
}

// square = A(I, I), of which one triangle is stored.
template <class T>
void TriangleProduct<T>::complete(const SymmetricBlock& block, const T* blocks, T* square) const {
  const T* const stored = blocks + block.place.offset;
  const std::int64_t down = block.place.row_major ? block.place.leading : 1;
  const std::int64_t across = block.place.row_major ? 1 : block.place.leading;
  for (std::int64_t c = 0; c < block.columns; ++c) {
    for (std::int64_t r = c; r < block.rows; ++r) {
      T x = stored[r * down + c * across];
      if (conjugated_) x = conjugated(x);
      if (hermitian_ && r == c) x = std::real(x);
      square[c + r * block.rows] = hermitian_ ? conjugated(x) : x;
      square[r + c * block.rows] = x;
    }
  }
}

// C'(I, :) += alpha A(I, J) B(J, :) and, off the diagonal, C'(J, :) += alpha A(I, J)' B(I, :).
template <class T>
void TriangleProduct<T>::multiply(const SymmetricBlock& block, T alpha, const T* blocks, const T* b,
                                  T* c, T* square) const {
  const auto add = [&](const blas::Factor<T>& a, std::int64_t rows, std::int64_t columns,
                       std::int64_t to, std::int64_t from) {
    blas::gemm(rows, panel_columns_, columns, alpha, a, {b + from, panel_rows_}, T(1), c + to,
               panel_rows_);
  };
  if (block.diagonal) {
    complete(block, blocks, square);
    add({square, block.rows}, block.rows, block.rows, block.i, block.i);
    return;
  }
  const T* const stored = blocks + block.place.offset;
  const std::int64_t leading = block.place.leading;
  const char turned = hermitian_ ? 'C' : 'T';
  const bool row_major = block.place.row_major;
  add({stored, leading, row_major ? turned : 'N'}, block.rows, block.columns, block.i, block.j);
  add({stored, leading, row_major ? 'N' : turned}, block.columns, block.rows, block.j, block.i);
}

template <class T>
void TriangleProduct<T>::execute(const Communicator& communicator, T alpha, const T* a, const T* b,
                                 T beta, T* c, T* workspace, GemmTraffic& traffic) {
  T* buffer = workspace + buffers_;
  const auto start = [&](comm::Transfer<T>& transfer, const T* source, T* target) {
    transfer.start(communicator, source, target, buffer, buffer + transfer.send_buffer(),
                   traffic.exchange);
    buffer += transfer.buffer();
  };
  if (a_transfer_) start(*a_transfer_, a, workspace);
  start(*b_transfer_, b, workspace + b_panel_);
  if (a_transfer_) a_transfer_->finish(communicator, T(1), T(0), traffic.exchange);
  b_transfer_->finish(communicator, T(1), T(0), traffic.exchange);
  T* rows_of_c = workspace + c_panel_;
  std::fill_n(rows_of_c, panel_rows_ * panel_columns_, T(0));
  for (const SymmetricBlock& block : blocks_) {
    multiply(block, alpha, in_place_ ? a : workspace, workspace + b_panel_, rows_of_c,
             workspace + square_);
  }
  c_transfer_->execute(communicator, T(1), rows_of_c, beta, c, workspace + buffers_,
                       traffic.reduce);
}

template class TriangleProduct<float>;
template class TriangleProduct<double>;
template class TriangleProduct<std::complex<float>>;
template class TriangleProduct<std::complex<double>>;

}  // namespace redblue::linalg
