#include "linalg/triangle_update.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "comm/number.hpp"
#include "decomposition/ownership.hpp"
#include "linalg/triangle_parts.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::conjugated;
using comm::Transfer;
using layout::Arrangement;
using layout::IndexSet;
using layout::Part;
using layout::Patch;

namespace {

// Whether BLAS multiplies by a matrix that stands like this, times its own transpose.
template <class T>
bool usable(const layout::Block& block, bool conjugate, bool hermitian) {
  if (std::is_floating_point_v<T>) return true;
  return block.row_major ? conjugate == hermitian : !conjugate;
}

}  // namespace

template <class T>
TriangleUpdate<T>::TriangleUpdate(const Communicator& communicator, const TriangleSetup& setup)
    : hermitian_(setup.hermitian && !std::is_floating_point_v<T>) {
  make_slabs(communicator, setup);
  if (setup.in_place) {
    make_faces_in_place(setup.c.of_rank[static_cast<std::size_t>(communicator.rank().value)]);
  } else {
    make_faces(communicator, setup);
  }
  lay_out_workspace();
}

template <class T>
void TriangleUpdate<T>::make_slabs(const Communicator& communicator, const TriangleSetup& setup) {
  const TriangleDecomposition& d = setup.decomposition;
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  slabs_.resize(setup.factors.size());
  for (std::int64_t round = 0; round < d.rounds; ++round) {
    const Arrangement wanted =
        setup.in_place
            ? slabs_in_place(setup.c, d.shape.k, round_of({0, d.shape.k}, round, d.rounds))
            : touched_slabs(d, communicator.size(), round);
    const std::vector<Patch>& mine = wanted.of_rank[me];
    std::vector<std::optional<layout::Block>> in_place;
    for (const Arrangement& x : setup.factors) {
      in_place.emplace_back();
      if (mine.size() != 1) continue;
      in_place.back() = layout::block_in(x.of_rank[me], mine.front());
      const bool use =
          in_place.back() && usable<T>(*in_place.back(), setup.conjugate_factors, hermitian_) &&
          (!in_place.front() || in_place.back()->row_major == in_place.front()->row_major);
      if (!use) in_place.back().reset();
    }
    // rank-2k updates of the BLAS take both factors alike
    for (auto& x : in_place) {
      if (!in_place.front() || !in_place.back()) x.reset();
    }
    for (std::size_t f = 0; f < slabs_.size(); ++f) {
      comm::TransferOptions options;
      options.tag = static_cast<int>(f);
      options.conjugate = setup.conjugate_factors;
      options.lean = setup.lean;
      options.own_in_place = in_place[f].has_value();
      slabs_[f].rounds.emplace_back(communicator, setup.factors[f], wanted, options);
      Held part;
      part.leading = std::max<std::int64_t>(1, setup.c.rows);  // where k is 0
      part.in_place = in_place[f];
      for (const Patch& p : mine) {
        part.leading = p.leading;
        part.columns = p.columns.size();
        part.words += p.size();
      }
      slabs_[f].held.push_back(part);
    }
  }
}

template <class T>
void TriangleUpdate<T>::make_faces(const Communicator& communicator, const TriangleSetup& setup) {
  const TriangleDecomposition& d = setup.decomposition;
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  target_ = setup.c.of_rank[me];
  const Arrangement wanted = pair_faces(d, communicator.size());
  std::int64_t counted = 0;
  bool in_place = !setup.conjugate_c || std::is_floating_point_v<T>;
  std::vector<layout::Block> in_target;
  faces_ = faces_on_slab(d, me, wanted.of_rank[me]);
  for (const Patch& face : wanted.of_rank[me]) {
    const auto block = layout::block_in(target_, face);
    in_place = in_place && block && !block->row_major;
    if (in_place) in_target.push_back(*block);
    counted += layout::count(face, Part::lower);
    face_words_ += face.size();
  }
  // BLAS may write to the target itself when it writes all of it.
  faces_in_place_ =
      in_place && counted > 0 && counted == setup.c.held(communicator.rank(), Part::lower);
  for (std::size_t p = 0; faces_in_place_ && p < faces_.size(); ++p) faces_[p].place = in_target[p];
  comm::TransferOptions options;
  options.tag = 2;
  options.add = true;
  options.conjugate = setup.conjugate_c;
  options.part = Part::lower;
  options.lean = setup.lean;
  options.own_in_place = faces_in_place_;
  reduction_.emplace(communicator, wanted, setup.c, options);
}

template <class T>
void TriangleUpdate<T>::make_faces_in_place(const std::vector<Patch>& held) {
  target_ = held;
  faces_in_place_ = true;
  for (const Patch& patch : held) faces_ = faces_in_place(patch);
}

template <class T>
void TriangleUpdate<T>::lay_out_workspace() {
  std::int64_t next = faces_in_place_ ? 0 : face_words_;
  staging_ = next;
  for (Slab& slab : slabs_) {
    std::int64_t words = 0;
    std::int64_t send = 0;
    std::int64_t receive = 0;
    for (std::size_t r = 0; r < slab.rounds.size(); ++r) {
      if (!slab.held[r].in_place) words = std::max(words, slab.held[r].words);
      send = std::max(send, slab.rounds[r].send_buffer());
      receive = std::max(receive, slab.rounds[r].receive_buffer());
    }
    slab.place = next;
    slab.send = slab.place + words;
    slab.receive = slab.send + send;
    next = slab.receive + receive;
  }
  // The reduction starts when all rounds are over, in the same place.
  workspace_ = std::max(next, staging_ + (reduction_ ? reduction_->buffer() : 0));
}

template <class T>
blas::Factor<T> TriangleUpdate<T>::factor(const Slab& slab, std::size_t round, const T* source,
                                          const T* workspace) const {
  const auto& block = slab.held[round].in_place;
  if (!block) return {workspace + slab.place, slab.held[round].leading, 'N'};
  const char turned = hermitian_ ? 'C' : 'T';
  return {source + block->offset, block->leading, block->row_major ? turned : 'N'};
}

template <class T>
void TriangleUpdate<T>::form(const Face& face, std::int64_t k, T alpha, const blas::Factor<T>& a,
                             const blas::Factor<T>* b, T beta, T* faces) const {
  const auto rows = [](blas::Factor<T> x, std::int64_t first) {
    x.data += x.op == 'N' ? first : first * x.leading;
    return x;
  };
  const auto turned = [this](blas::Factor<T> x) {
    x.op = x.op != 'N' ? 'N' : hermitian_ ? 'C' : 'T';
    return x;
  };
  T* c = faces + face.place.offset;
  const std::int64_t leading = face.place.leading;
  if (face.i == face.j) {
    const char half = face.place.row_major ? 'U' : 'L';
    if (b == nullptr) {
      blas::rank_k(hermitian_, half, face.rows, k, alpha, rows(a, face.i), beta, c, leading);
    } else {
      blas::rank_2k(hermitian_, half, face.rows, k, alpha, rows(a, face.i), rows(*b, face.i), beta,
                    c, leading);
    }
    return;
  }
  // what lies row-major is, column-major, the element across the diagonal
  const bool lies = face.place.row_major;
  const std::int64_t i = lies ? face.j : face.i;
  const std::int64_t j = lies ? face.i : face.j;
  const std::int64_t height = lies ? face.columns : face.rows;
  const std::int64_t width = lies ? face.rows : face.columns;
  blas::gemm(height, width, k, alpha, rows(a, i), turned(rows(b == nullptr ? a : *b, j)), beta, c,
             leading);
  if (b == nullptr) return;
  blas::gemm(height, width, k, hermitian_ ? conjugated(alpha) : alpha, rows(*b, i),
             turned(rows(a, j)), T(1), c, leading);
}

template <class T>
void TriangleUpdate<T>::clear_imaginary_diagonal(T* c) const {
  if constexpr (!std::is_floating_point_v<T>) {
    for (const Patch& p : target_) {
      for (const layout::Piece& x : shared(p.rows, p.columns, false)) {
        for (std::int64_t e = 0; e < x.length; ++e) {
          T& value = c[p.offset + (p.row_major ? x.to + e + p.leading * (x.from + e)
                                               : x.from + e + p.leading * (x.to + e))];
          value = value.real();
        }
      }
    }
  }
}

template <class T>
void TriangleUpdate<T>::execute(const Communicator& communicator, T alpha, const T* a, const T* b,
                                T beta, T* c, T* workspace, GemmTraffic& traffic) {
  const T* const sources[] = {a, b};
  T* faces = faces_in_place_ ? c : workspace;
  T kept = faces_in_place_ ? beta : T(0);
  const std::size_t rounds = slabs_.front().rounds.size();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t f = 0; f < std::min(slabs_.size(), std::size(sources)); ++f) {
      Slab& s = slabs_[f];
      s.rounds[round].start(communicator, sources[f], workspace + s.place, workspace + s.send,
                            workspace + s.receive, traffic.exchange);
    }
    for (Slab& s : slabs_) s.rounds[round].finish(communicator, T(1), T(0), traffic.exchange);
    const std::int64_t k = slabs_.front().held[round].columns;
    if (k == 0 && round > 0) continue;
    const blas::Factor<T> x = factor(slabs_.front(), round, a, workspace);
    const blas::Factor<T> y = factor(slabs_.back(), round, sources[slabs_.size() - 1], workspace);
    for (const Face& face : faces_) {
      form(face, k, alpha, x, slabs_.size() > 1 ? &y : nullptr, kept, faces);
    }
    kept = T(1);
  }
  if (reduction_) {
    reduction_->execute(communicator, T(1), faces, faces_in_place_ ? T(1) : beta, c,
                        workspace + staging_, traffic.reduce);
  }
  if (hermitian_) clear_imaginary_diagonal(c);
}

template class TriangleUpdate<float>;
template class TriangleUpdate<double>;
template class TriangleUpdate<std::complex<float>>;
template class TriangleUpdate<std::complex<double>>;

}  // namespace redblue::linalg
