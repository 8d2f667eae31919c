// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/gemm/doubling_multiplication.hpp"

#include <algorithm>
#include <complex>

#include "comm/phases.hpp"
#include "linalg/blas/blas.hpp"

namespace redblue::linalg {

using comm::Communicator;

namespace {

// The part of a piece, nullptr where the piece is empty.
template <class Part>
Part* part_of(std::vector<Part>& parts, std::int64_t piece) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [piece](const Part& p) { return p.piece == piece; });
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace

// This rank's cells in the order in which their shares are stored.
template <class T>
std::vector<typename DoublingMultiplication<T>::Part> DoublingMultiplication<T>::parts(
    const std::vector<Cell>& cells, Operand operand, std::int64_t pieces, Rank rank) const {
  using Way = typename LineExchange<T>::Way;
  std::vector<Part> result;
  std::int64_t own = 0;
  for (const Cell& cell : cells) {
    const auto found = std::lower_bound(cell.needers.begin(), cell.needers.end(), rank.value);
    if (found == cell.needers.end() || *found != rank.value) continue;
    const auto member = static_cast<std::size_t>(found - cell.needers.begin());
    const bool output = operand == Operand::c;
    const std::int64_t piece =
        output ? round_index(mine_.j, cell.block.columns.begin, pieces)
               : round_index(mine_.k, k_range(cell.block, operand).begin, pieces);
    const Way way = output ? Way::add_up : Way::gather;
    result.push_back({LineExchange<T>(cell, member, way, static_cast<int>(operand)), piece,
                      cell.block.rows.size(), cell.block.columns.size(), own, cell.begins[member],
                      cell.share(member), cell.needers.size() > 1});
    own += cell.share(member);
  }
  return result;
}

template <class T>
DoublingMultiplication<T>::DoublingMultiplication(const Decomposition& decomposition,
                                                  const std::vector<Cuboid>& cuboids,
                                                  const Ownership& ownership, Rank rank)
    : mine_(cuboids[static_cast<std::size_t>(rank.value)]),
      rounds_(decomposition.rounds),
      panels_(decomposition.panels),
      reductions_(decomposition.reductions) {
  if (mine_.empty()) return;
  a_ = parts(ownership.a, Operand::a, rounds_, rank);
  b_ = parts(ownership.b, Operand::b, rounds_, rank);
  c_ = parts(ownership.c, Operand::c, panels_ * reductions_, rank);
  const auto panel_words = [](const std::vector<Part>& of) {
    std::int64_t most = 0;
    for (const Part& p : of) most = std::max(most, p.shared ? p.rows * p.columns : 0);
    return most;
  };
  std::int64_t received = 0;
  for (const Part& p : c_) {
    adds_up_ = adds_up_ || p.shared;
    received = std::max(received, p.line.staging());
  }
  std::int64_t widest = 0;
  for (std::int64_t p = 0; p < panels_; ++p) {
    widest = std::max(widest, round_of(mine_.j, p, panels_).size());
  }
  a_panel_ = staging_ = adds_up_ ? mine_.i.size() * widest : 0;
  b_panel_ = a_panel_ + panel_words(a_);
  workspace_ = std::max(b_panel_ + panel_words(b_), staging_ + received);
}

template <class T>
void DoublingMultiplication<T>::gather(const Communicator& communicator, std::int64_t round,
                                       const T* a, const T* b, T* workspace, Traffic& count) {
  struct Gathered {
    Part* part;
    const T* array;
    T* panel;
  };
  const Gathered both[] = {{part_of(a_, round), a, workspace + a_panel_},
                           {part_of(b_, round), b, workspace + b_panel_}};
  std::size_t stages = 0;
  for (const Gathered& g : both) {
    if (g.part == nullptr || !g.part->shared) continue;
    const comm::InPhase packs(comm::Phase::exchange);
    std::copy_n(g.array + g.part->own, g.part->words, g.panel + g.part->begin);
    stages = std::max(stages, g.part->line.stages());
  }
  for (std::size_t s = 0; s < stages; ++s) {
    for (const Gathered& g : both) {
      if (g.part != nullptr && s < g.part->line.stages())
        g.part->line.start(communicator, s, g.panel, nullptr, count);
    }
    for (const Gathered& g : both) {
      if (g.part != nullptr && s < g.part->line.stages()) g.part->line.finish(s, g.panel, nullptr);
    }
  }
}

// The block of a round, in the rank's array where it alone has it.
template <class T>
typename DoublingMultiplication<T>::Factor DoublingMultiplication<T>::factor(
    const std::vector<Part>& of, std::int64_t round, const T* array, const T* panel) const {
  for (const Part& p : of) {
    if (p.piece == round) return {p.shared ? panel : array + p.own, p.rows};
  }
  return {};
}

template <class T>
void DoublingMultiplication<T>::add_up(const Communicator& communicator, Part& part, T* block,
                                       T beta, T* c, T* staging, Traffic& count) {
  for (std::size_t s = 0; s < part.line.stages(); ++s) {
    part.line.start(communicator, s, block, staging, count);
    part.line.finish(s, block, staging);
  }
  const comm::InPhase adds(comm::Phase::reduce);
  for (std::int64_t e = 0; e < part.words; ++e) {
    const T& sum = block[part.begin + e];
    T& target = c[part.own + e];
    target = beta == T(0) ? sum : beta * target + sum;
  }
}

// This rank's block of the iteration space is I x J x K, K = K_0, K_1, .. and J = J_0, J_1, ..
//
//   for each panel J_p, for each round K_s:
//     A(I, K_s), B(K_s, J): what this rank owns of them is gathered along its line of the grid
//     C'(I, J_p) += alpha A(I, K_s) B(K_s, J_p)
//   for each reduction of the panel: the sum of C' along the line, each rank left with its share
//     C = beta C + that sum
template <class T>
void DoublingMultiplication<T>::execute(const Communicator& communicator, T alpha, const T* a,
                                        const T* b, T beta, T* c, T* workspace,
                                        GemmTraffic& traffic) {
  if (mine_.empty()) return;
  const std::int64_t rows = mine_.i.size();
  for (std::int64_t p = 0; p < panels_; ++p) {
    const Range columns = round_of(mine_.j, p, panels_);
    const std::int64_t before = columns.begin - mine_.j.begin;
    T* const c_block = adds_up_ ? workspace : c + rows * before;
    T kept = adds_up_ ? T(0) : beta;
    for (std::int64_t s = 0; s < rounds_; ++s) {
      gather(communicator, s, a, b, workspace, traffic.exchange);
      const std::int64_t k = round_of(mine_.k, s, rounds_).size();
      if (k == 0) continue;
      const Factor x = factor(a_, s, a, workspace + a_panel_);
      const Factor y = factor(b_, s, b, workspace + b_panel_);
      blas::gemm(rows, columns.size(), k, alpha, {x.data, x.leading, 'N'},
                 {y.data + y.leading * before, y.leading, 'N'}, kept, c_block, rows);
      kept = T(1);
    }
    for (std::int64_t q = p * reductions_; adds_up_ && q < (p + 1) * reductions_; ++q) {
      Part* part = part_of(c_, q);
      if (part == nullptr) continue;
      const Range added = round_of(mine_.j, q, panels_ * reductions_);
      add_up(communicator, *part, c_block + rows * (added.begin - columns.begin), beta, c,
             workspace + staging_, traffic.reduce);
    }
  }
}

template class DoublingMultiplication<float>;
template class DoublingMultiplication<double>;
template class DoublingMultiplication<std::complex<float>>;
template class DoublingMultiplication<std::complex<double>>;

}  // namespace redblue::linalg
