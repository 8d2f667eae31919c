#include "linalg/triangle_product.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "comm/number.hpp"
#include "linalg/blas.hpp"
#include "linalg/caller_layouts.hpp"
#include "linalg/triangle_parts.hpp"

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
  // C = B A is C^T = A^T B^T, and a Hermitian A^T is A's conjugate
  setup.conjugate_a = layouts.hermitian && upper != right;
  const Op op = right ? Op::transpose : Op::none;
  setup.b = arrangement_of(layouts.b, op, ranks);
  setup.c = arrangement_of(layouts.c, op, ranks);
  return setup;
}

void decompose(TriangleProductSetup& setup, const SyrkPlanRequest& request) {
  setup.decomposition = choose_syrk(request);
  // where they differ, BLAS would have to multiply by conjugates that are not transposed
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
  const Arrangement slabs =
      in_place_ ? slabs_in_place(setup.a, d.shape.k, {0, d.shape.k}) : touched_slabs(d, ranks, 0);
  for (const Patch& slab : slabs.of_rank[me]) {
    touched_ = slab.leading;
    across_ = slab.columns.size();
  }
  comm::TransferOptions options;
  if (in_place_) {
    for (const Patch& held : setup.a.of_rank[me]) faces_ = faces_in_place(held);
  } else {
    const Arrangement pairs = pair_faces(d, ranks);
    faces_ = faces_on_slab(d, me, pairs.of_rank[me]);
    for (const Patch& pair : pairs.of_rank[me]) b_slab_ += pair.size();
    options.part = Part::lower;
    options.conjugate = setup.conjugate_a;
    blocks_.emplace(communicator, setup.a, pairs, options);
  }
  options = {};
  options.tag = 1;
  rows_.emplace(communicator, setup.b, slabs, options);
  options.tag = 2;
  options.add = true;
  reduction_.emplace(communicator, slabs, setup.c, options);
  lay_out_workspace();
}

// A's pairs, B's rows, C's, a square on the diagonal; transfers' buffers.
template <class T>
void TriangleProduct<T>::lay_out_workspace() {
  c_slab_ = b_slab_ + touched_ * across_;
  square_ = c_slab_ + touched_ * across_;
  buffers_ = square_;
  for (const Face& f : faces_) {
    if (f.i == f.j) buffers_ = std::max(buffers_, square_ + f.rows * f.rows);
  }
  const std::int64_t in = rows_->buffer() + (blocks_ ? blocks_->buffer() : 0);
  workspace_ = buffers_ + std::max(in, reduction_->buffer());
}

// A face on the diagonal, of which one triangle is stored.
template <class T>
void TriangleProduct<T>::complete(const Face& face, const T* faces, T* square) const {
  const T* const stored = faces + face.place.offset;
  const std::int64_t down = face.place.row_major ? face.place.leading : 1;
  const std::int64_t across = face.place.row_major ? 1 : face.place.leading;
  for (std::int64_t c = 0; c < face.columns; ++c) {
    for (std::int64_t r = c; r < face.rows; ++r) {
      T x = stored[r * down + c * across];
      if (conjugated_) x = conjugated(x);
      if (hermitian_ && r == c) x = std::real(x);
      square[c + r * face.rows] = hermitian_ ? conjugated(x) : x;
      square[r + c * face.rows] = x;
    }
  }
}

// C's rows of one side of the face from B's of the other, and the other way round.
template <class T>
void TriangleProduct<T>::multiply(const Face& face, T alpha, const T* faces, const T* b, T* c,
                                  T* square) const {
  const auto add = [&](const blas::Factor<T>& a, std::int64_t rows, std::int64_t columns,
                       std::int64_t to, std::int64_t from) {
    blas::gemm(rows, across_, columns, alpha, a, {b + from, touched_}, T(1), c + to, touched_);
  };
  if (face.i == face.j) {
    complete(face, faces, square);
    add({square, face.rows}, face.rows, face.rows, face.i, face.i);
    return;
  }
  const T* const stored = faces + face.place.offset;
  const std::int64_t leading = face.place.leading;
  const char turned = hermitian_ ? 'C' : 'T';
  const bool lies = face.place.row_major;
  add({stored, leading, lies ? turned : 'N'}, face.rows, face.columns, face.i, face.j);
  add({stored, leading, lies ? 'N' : turned}, face.columns, face.rows, face.j, face.i);
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
  if (blocks_) start(*blocks_, a, workspace);
  start(*rows_, b, workspace + b_slab_);
  if (blocks_) blocks_->finish(communicator, T(1), T(0), traffic.exchange);
  rows_->finish(communicator, T(1), T(0), traffic.exchange);
  T* rows_of_c = workspace + c_slab_;
  std::fill_n(rows_of_c, touched_ * across_, T(0));
  for (const Face& face : faces_) {
    multiply(face, alpha, in_place_ ? a : workspace, workspace + b_slab_, rows_of_c,
             workspace + square_);
  }
  reduction_->execute(communicator, T(1), rows_of_c, beta, c, workspace + buffers_, traffic.reduce);
}

template class TriangleProduct<float>;
template class TriangleProduct<double>;
template class TriangleProduct<std::complex<float>>;
template class TriangleProduct<std::complex<double>>;

}  // namespace redblue::linalg
