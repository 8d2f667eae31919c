// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric/triangle_update.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "comm/number.hpp"
#include "decomposition/ownership.hpp"
#include "linalg/symmetric/triangle_parts.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::conjugated;
using comm::Transfer;
using layout::Arrangement;
using layout::IndexSet;
using layout::Part;
using layout::Patch;

namespace {

// Whether BLAS can multiply a matrix stored like this by its own transpose.
template <class T>
bool usable(const layout::StoredBlock& block, bool conjugate, bool hermitian) {
  if (std::is_floating_point_v<T>) return true;
  return block.row_major ? conjugate == hermitian : !conjugate;
}

}  // namespace

template <class T>
TriangleUpdate<T>::TriangleUpdate(const Communicator& communicator, const TriangleSetup& setup)
    : hermitian_(setup.hermitian && !std::is_floating_point_v<T>) {
  make_panels(communicator, setup);
  if (setup.in_place) {
    use_blocks_in_place(setup.c.of_rank[static_cast<std::size_t>(communicator.rank().value)]);
  } else {
    make_blocks(communicator, setup);
  }
  lay_out_workspace();
}

template <class T>
void TriangleUpdate<T>::make_panels(const Communicator& communicator, const TriangleSetup& setup) {
  const TriangleDecomposition& d = setup.decomposition;
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  factors_.resize(setup.factors.size());
  const std::vector<Arrangement>& factors = setup.placed_factors();
  for (std::int64_t round = 0; round < d.rounds; ++round) {
    const Arrangement wanted =
        setup.in_place
            ? panels_in_place(setup.c, d.shape.k, round_of({0, d.shape.k}, round, d.rounds))
            : row_panels(d, communicator.size(), round);
    const std::vector<Patch>& mine = wanted.of_rank[me];
    std::vector<std::optional<layout::StoredBlock>> in_place;
    for (const Arrangement& x : factors) {
      in_place.emplace_back();
      if (mine.size() != 1) continue;
      in_place.back() = layout::stored_block(x.of_rank[me], mine.front());
      const bool use =
          in_place.back() && usable<T>(*in_place.back(), setup.conjugate_factors, hermitian_) &&
          (!in_place.front() || in_place.back()->row_major == in_place.front()->row_major);
      if (!use) in_place.back().reset();
    }
    // BLAS's rank-2k updates take both factors column-major or both row-major
    for (auto& x : in_place) {
      if (!in_place.front() || !in_place.back()) x.reset();
    }
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      comm::TransferOptions options;
      options.tag = static_cast<int>(f);
      options.conjugate = setup.conjugate_factors;
      options.zero_copy = setup.zero_copy;
      options.own_in_place = in_place[f].has_value();
      factors_[f].transfers.emplace_back(communicator, factors[f], wanted, options);
      RoundPanel part;
      part.leading = std::max<std::int64_t>(1, setup.c.rows);  // where k is 0
      part.in_place = in_place[f];
      for (const Patch& p : mine) {
        part.leading = p.leading;
        part.columns = p.columns.size();
        part.words += p.size();
      }
      factors_[f].panels.push_back(part);
    }
  }
}

template <class T>
void TriangleUpdate<T>::make_blocks(const Communicator& communicator, const TriangleSetup& setup) {
  const TriangleDecomposition& d = setup.decomposition;
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  target_ = setup.c.of_rank[me];
  const Arrangement wanted = pair_blocks(d, communicator.size());
  std::int64_t counted = 0;
  bool in_place = !setup.conjugate_c || std::is_floating_point_v<T>;
  std::vector<layout::StoredBlock> in_target;
  blocks_ = blocks_on_panel(d, me, wanted.of_rank[me]);
  for (const Patch& patch : wanted.of_rank[me]) {
    const auto stored = layout::stored_block(target_, patch);
    in_place = in_place && stored && !stored->row_major;
    if (in_place) in_target.push_back(*stored);
    counted += layout::count(patch, Part::lower);
    block_words_ += patch.size();
  }
  // BLAS may write to the target itself when it writes all of it.
  c_in_place_ =
      in_place && counted > 0 && counted == setup.c.words_on(communicator.rank(), Part::lower);
  for (std::size_t p = 0; c_in_place_ && p < blocks_.size(); ++p) blocks_[p].place = in_target[p];
  comm::TransferOptions options;
  options.tag = 2;
  options.add = true;
  options.conjugate = setup.conjugate_c;
  options.part = Part::lower;
  options.zero_copy = setup.zero_copy;
  options.own_in_place = c_in_place_;
  reduction_.emplace(communicator, wanted, setup.c, options);
}

template <class T>
void TriangleUpdate<T>::use_blocks_in_place(const std::vector<Patch>& local) {
  target_ = local;
  c_in_place_ = true;
  for (const Patch& patch : local) {
    const std::vector<Range> rows = rows_of_columns(patch);
    // gathering takes a word's copy per column; else each range's multiplication packs half of the
    // rows again
    constexpr std::int64_t pays_from = 8;
    const auto ranges = static_cast<std::int64_t>(rows.size());
    const bool gathers = ranges * patch.rows.size() > pays_from * patch.columns.size();
    if (gathers) gathered_ = rows;
    blocks_ = blocks_in_place(patch, gathers);
  }
}

template <class T>
void TriangleUpdate<T>::lay_out_workspace() {
  std::int64_t next = c_in_place_ ? 0 : block_words_;
  staging_ = next;
  for (FactorPanels& panel : factors_) {
    std::int64_t words = 0;
    std::int64_t send = 0;
    std::int64_t receive = 0;
    for (std::size_t r = 0; r < panel.transfers.size(); ++r) {
      if (!panel.panels[r].in_place) words = std::max(words, panel.panels[r].words);
      send = std::max(send, panel.transfers[r].send_buffer());
      receive = std::max(receive, panel.transfers[r].receive_buffer());
    }
    panel.offset = next;
    panel.gathered = panel.offset + words;
    std::int64_t most_columns = 0;
    for (const RoundPanel& p : panel.panels) most_columns = std::max(most_columns, p.columns);
    panel.send = panel.gathered + gathered_rows() * most_columns;
    panel.receive = panel.send + send;
    next = panel.receive + receive;
  }
  // the reduction starts after the last round and reuses the memory of the rounds
  workspace_ = std::max(next, staging_ + (reduction_ ? reduction_->buffer() : 0));
}

template <class T>
blas::Factor<T> TriangleUpdate<T>::factor(const FactorPanels& panel, std::size_t round,
                                          const T* source, const T* workspace) const {
  const auto& stored = panel.panels[round].in_place;
  if (!stored) return {workspace + panel.offset, panel.panels[round].leading, 'N'};
  const char turned = hermitian_ ? 'C' : 'T';
  return {source + stored->offset, stored->leading, stored->row_major ? turned : 'N'};
}

// A(J, K) of all columns J of C in place, stored as A(:, K) is.
template <class T>
blas::Factor<T> TriangleUpdate<T>::gather(const blas::Factor<T>& x, std::int64_t k, T* to) const {
  if (gathered_.empty()) return x;
  const std::int64_t rows = gathered_rows();
  if (x.op == 'N') {
    for (std::int64_t p = 0; p < k; ++p) {
      T* next = to + p * rows;
      for (const Range& r : gathered_) {
        next = std::copy_n(x.data + r.begin + p * x.leading, r.size(), next);
      }
    }
    return {to, rows, x.op};
  }
  T* next = to;
  for (const Range& r : gathered_) {
    for (std::int64_t row = r.begin; row < r.end; ++row) {
      next = std::copy_n(x.data + row * x.leading, k, next);
    }
  }
  return {to, std::max<std::int64_t>(1, k), x.op};
}

template <class T>
std::int64_t TriangleUpdate<T>::gathered_rows() const {
  std::int64_t rows = 0;
  for (const Range& r : gathered_) rows += r.size();
  return rows;
}

// C(I, J) = beta C(I, J) + alpha A(I, K) A(J, K)', or + alpha A(I, K) B(J, K)' + alpha' B(I, K)
// A(J, K)'.
template <class T>
void TriangleUpdate<T>::form(const SymmetricBlock& block, std::int64_t k, T alpha, const Panels& a,
                             const Panels* b, T beta, T* blocks) const {
  const auto rows = [](blas::Factor<T> x, std::int64_t first) {
    x.data += x.op == 'N' ? first : first * x.leading;
    return x;
  };
  const auto turned = [this](blas::Factor<T> x) {
    x.op = x.op != 'N' ? 'N' : hermitian_ ? 'C' : 'T';
    return x;
  };
  T* c = blocks + block.place.offset;
  const std::int64_t leading = block.place.leading;
  if (block.diagonal) {
    const char half = block.place.row_major ? 'U' : 'L';
    if (b == nullptr) {
      blas::rank_k(hermitian_, half, block.rows, k, alpha, rows(a.of_rows, block.i), beta, c,
                   leading);
    } else {
      blas::rank_2k(hermitian_, half, block.rows, k, alpha, rows(a.of_rows, block.i),
                    rows(b->of_rows, block.i), beta, c, leading);
    }
    return;
  }
  const auto multiply = [&](T by, const Panels& left, const Panels& right, T kept) {
    if (block.place.row_major) {
      // column-major, it is the block across the diagonal: exchange I and J
      blas::gemm(block.columns, block.rows, k, by, rows(left.of_columns, block.j),
                 turned(rows(right.of_rows, block.i)), kept, c, leading);
    } else {
      blas::gemm(block.rows, block.columns, k, by, rows(left.of_rows, block.i),
                 turned(rows(right.of_columns, block.j)), kept, c, leading);
    }
  };
  multiply(alpha, a, b == nullptr ? a : *b, beta);
  if (b != nullptr) multiply(hermitian_ ? conjugated(alpha) : alpha, *b, a, T(1));
}

template <class T>
void TriangleUpdate<T>::clear_imaginary_diagonal(T* c) const {
  if constexpr (!std::is_floating_point_v<T>) {
    for (const Patch& p : target_) {
      for (const layout::OverlapInterval& x : shared(p.rows, p.columns, false)) {
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
  T* blocks = c_in_place_ ? c : workspace;
  T kept = c_in_place_ ? beta : T(0);
  const std::size_t rounds = factors_.front().transfers.size();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t f = 0; f < std::min(factors_.size(), std::size(sources)); ++f) {
      FactorPanels& s = factors_[f];
      s.transfers[round].start(communicator, sources[f], workspace + s.offset, workspace + s.send,
                               workspace + s.receive, traffic.exchange);
    }
    for (FactorPanels& s : factors_)
      s.transfers[round].finish(communicator, T(1), T(0), traffic.exchange);
    const std::int64_t k = factors_.front().panels[round].columns;
    if (k == 0 && round > 0) continue;
    std::array<Panels, 2> panels;
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      panels[f].of_rows = factor(factors_[f], round, sources[f], workspace);
      panels[f].of_columns = gather(panels[f].of_rows, k, workspace + factors_[f].gathered);
    }
    for (const SymmetricBlock& block : blocks_) {
      form(block, k, alpha, panels[0], factors_.size() > 1 ? &panels[1] : nullptr, kept, blocks);
    }
    kept = T(1);
  }
  if (reduction_) {
    reduction_->execute(communicator, T(1), blocks, c_in_place_ ? T(1) : beta, c,
                        workspace + staging_, traffic.reduce);
  }
  if (hermitian_) clear_imaginary_diagonal(c);
}

template class TriangleUpdate<float>;
template class TriangleUpdate<double>;
template class TriangleUpdate<std::complex<float>>;
template class TriangleUpdate<std::complex<double>>;

}  // namespace redblue::linalg
