#include "linalg/triangle_product.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "comm/number.hpp"
#include "linalg/blas.hpp"
#include "linalg/caller_layouts.hpp"
#include "linalg/triangle_parts.hpp"

namespace redblue {

using comm::Communicator;
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

template <class T>
TriangleProduct<T>::TriangleProduct(const Communicator& communicator,
                                    const TriangleProductSetup& setup)
    : hermitian_(setup.hermitian && !std::is_floating_point_v<T>) {
  const TriangleDecomposition& d = setup.decomposition;
  const int ranks = communicator.size();
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  const Arrangement faces = pair_faces(d, ranks);
  const Arrangement slabs = touched_slabs(d, ranks, 0);
  std::int64_t face_words = 0;
  if (!slabs.of_rank[me].empty()) {
    const Patch& slab = slabs.of_rank[me].front();
    touched_ = slab.rows.size();
    across_ = slab.columns.size();
    const auto at = [&slab](const layout::IndexSet& rows) {
      return shared(slab.rows, rows).front().from;
    };
    for (const Patch& face : faces.of_rank[me]) {
      pairs_.push_back(
          {at(face.rows), at(face.columns), face.rows.size(), face.columns.size(), face.offset});
      face_words += face.size();
    }
  }
  comm::TransferOptions options;
  options.part = Part::lower;
  options.conjugate = setup.conjugate_a;
  inputs_.emplace_back(communicator, setup.a, faces, options);
  options = {};
  options.tag = 1;
  inputs_.emplace_back(communicator, setup.b, slabs, options);
  options.tag = 2;
  options.add = true;
  reduction_.emplace(communicator, slabs, setup.c, options);
  b_slab_ = face_words;
  c_slab_ = b_slab_ + touched_ * across_;
  buffers_ = c_slab_ + touched_ * across_;
  std::int64_t in = 0;
  for (const auto& t : inputs_) in += t.buffer();
  workspace_ = buffers_ + std::max(in, reduction_->buffer());
}

// A pair on the diagonal came as its lower triangle.
template <class T>
void TriangleProduct<T>::complete(const Pair& pair, T* faces) const {
  T* face = faces + pair.face;
  for (std::int64_t c = 0; c < pair.columns; ++c) {
    if (hermitian_) face[c * (pair.rows + 1)] = std::real(face[c * (pair.rows + 1)]);
    for (std::int64_t r = c + 1; r < pair.rows; ++r) {
      const T& x = face[r + c * pair.rows];
      face[c + r * pair.rows] = hermitian_ ? conjugated(x) : x;
    }
  }
}

template <class T>
void TriangleProduct<T>::execute(const Communicator& communicator, T alpha, const T* a, const T* b,
                                 T beta, T* c, T* workspace, GemmTraffic& traffic) {
  const T* const sources[] = {a, b};
  T* const targets[] = {workspace, workspace + b_slab_};
  T* next = workspace + buffers_;
  for (std::size_t x = 0; x < std::size(sources); ++x) {
    inputs_[x].start(communicator, sources[x], targets[x], next, next + inputs_[x].send_buffer(),
                     traffic.exchange);
    next += inputs_[x].buffer();
  }
  for (auto& t : inputs_) t.finish(communicator, T(1), T(0), traffic.exchange);
  const T* rows_of_b = workspace + b_slab_;
  T* rows_of_c = workspace + c_slab_;
  std::fill_n(rows_of_c, touched_ * across_, T(0));
  for (const Pair& p : pairs_) {
    const bool diagonal = p.i == p.j;
    if (diagonal) complete(p, workspace);
    const T* face = workspace + p.face;
    blas::gemm(p.rows, across_, p.columns, alpha, {face, p.rows}, {rows_of_b + p.j, touched_}, T(1),
               rows_of_c + p.i, touched_);
    if (diagonal) continue;
    blas::gemm(p.columns, across_, p.rows, alpha, {face, p.rows, hermitian_ ? 'C' : 'T'},
               {rows_of_b + p.i, touched_}, T(1), rows_of_c + p.j, touched_);
  }
  reduction_->execute(communicator, T(1), rows_of_c, beta, c, workspace + buffers_, traffic.reduce);
}

template class TriangleProduct<float>;
template class TriangleProduct<double>;
template class TriangleProduct<std::complex<float>>;
template class TriangleProduct<std::complex<double>>;

}  // namespace redblue
