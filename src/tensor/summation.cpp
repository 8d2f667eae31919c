// SPDX-License-Identifier: BSD-3-Clause
#include "tensor/summation.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "comm/phases.hpp"

namespace redblue::tensor {

using comm::Communicator;

namespace {

constexpr int result_tag = 1000;  // operands have their numbers

}  // namespace

template <class T>
Summation<T>::Summation(const Communicator& communicator, const EinsumShape& shape,
                        const EinsumDecomposition& decomposition,
                        const std::vector<std::vector<einsum::TensorCell>>& cells,
                        std::vector<Ways> from_elsewhere)
    : rounds_(static_cast<std::size_t>(decomposition.rounds)) {
  adds_in_rounds_ = !decomposition.rest.empty();
  for (const EinsumPart& part : owned_parts(cells.back(), communicator.rank()))
    owned_result_ += part.end - part.begin;
  works_ = einsum::works(decomposition, static_cast<std::size_t>(communicator.rank().value));
  for (std::size_t o = 0; o < shape.operands(); ++o)
    operands_.push_back(
        side_of(communicator, shape, decomposition, o, cells[o], std::move(from_elsewhere[o])));
  result_ = side_of(communicator, shape, decomposition, shape.operands(), cells.back(), {});
  boxes_.resize(shape.operands());
  if (works_) add_local(shape, decomposition, communicator.rank());
  local_workspace_ = workspace_;
  std::int64_t most = 0;
  for (const LocalSummation<T>& l : local_) most = std::max(most, l.workspace());
  workspace_ += most;
}

template <class T>
typename Summation<T>::Side Summation<T>::side_of(const Communicator& communicator,
                                                  const EinsumShape& shape,
                                                  const EinsumDecomposition& decomposition,
                                                  std::size_t tensor,
                                                  const std::vector<einsum::TensorCell>& cells,
                                                  Ways ways) {
  const bool is_result = tensor == shape.operands();
  const int ranks = communicator.size();
  comm::TransferOptions options;
  options.tag = is_result ? result_tag : static_cast<int>(tensor);
  options.add = is_result;
  options.zero_copy = true;
  const layout::Arrangement owned = owned_arrangement(cells, ranks);
  const std::int64_t rounds = einsum::rounds_of(shape.tensors[tensor], decomposition);
  Side side;
  for (std::int64_t round = 0; round < rounds; ++round) {
    Visit visit;
    visit.box = needed_box(shape, decomposition, tensor, cells, communicator.rank(), round);
    if (!ways.empty()) {  // into the box itself
      visit.box.in_place.reset();
      visit.box.in_order = true;
      visit.fetching = std::move(ways[static_cast<std::size_t>(round)]);
    } else {
      const layout::Arrangement needed = needed_arrangement(cells, ranks, round);
      const layout::Arrangement& from = is_result ? needed : owned;
      const layout::Arrangement to = is_result ? reduced_arrangement(cells, ranks, round) : needed;
      visit.transfer.emplace(communicator, from, to, options);
    }
    side.visits.push_back(std::move(visit));
  }
  lay_out(side);
  return side;
}

// Takes the places of a side in the workspace.
template <class T>
void Summation<T>::lay_out(Side& side) {
  std::int64_t box = 0, cells = 0, buffer = 0;
  for (const Visit& visit : side.visits) {
    buffer = std::max(buffer, visit.buffer());
    if (visit.box.in_place) continue;
    box = std::max(box, visit.box.words());
    if (visit.box.is_rearranged()) cells = std::max(cells, visit.box.words());
  }
  side.box = workspace_;
  side.cells = side.box + box;
  side.buffer = side.cells + cells;
  workspace_ = side.buffer + buffer;
}

template <class T>
void Summation<T>::add_local(const EinsumShape& shape, const EinsumDecomposition& decomposition,
                             Rank rank) {
  std::int64_t footprint = 0;
  for (std::size_t a = 0; a < shape.tensors.size(); ++a) {
    const Side& side = a == shape.operands() ? result_ : operands_[a];
    std::int64_t most = 0;
    for (const Visit& visit : side.visits) most = std::max(most, visit.box.words());
    footprint += most;
  }
  const std::int64_t room = einsum::local_workspace(shape.operands(), footprint);
  struct Known {
    std::vector<std::int64_t> extents;
    std::vector<TensorBox> boxes;
    bool operator==(const Known&) const = default;
  };
  std::vector<Known> known;
  for (std::size_t round = 0; round < rounds_; ++round) {
    const EinsumBox box =
        decomposition.box(static_cast<std::size_t>(rank.value), static_cast<std::int64_t>(round));
    Known now;
    now.extents.resize(shape.indices.size(), 0);  // no work in this round
    for (std::size_t t = 0; t < box.ranges.size() && box.works; ++t)
      now.extents[t] = box.ranges[t].size();
    for (std::size_t a = 0; a < shape.tensors.size(); ++a) {
      const Visit& visit = (a == shape.operands() ? result_ : operands_[a]).visit(round);
      const auto part = box.works ? einsum::projection(shape.tensors[a], box) : visit.box.ranges;
      now.boxes.push_back(part_of(shape, shape.tensors[a], visit.box.ranges, part));
    }
    const auto same = std::find(known.begin(), known.end(), now);
    local_of_round_.push_back(static_cast<std::size_t>(same - known.begin()));
    if (same != known.end()) continue;
    local_.emplace_back(shape, now.extents, now.boxes, room);
    known.push_back(std::move(now));
  }
}

// Operands in this round: to the ranks that need their parts, and there into boxes.
template <class T>
void Summation<T>::fetch(const Communicator& communicator, std::size_t round,
                         const std::vector<const T*>& operands, T* workspace,
                         EinsumTraffic& traffic) {
  const auto comes = [round](const Side& side) { return round == 0 || side.visits.size() > 1; };
  const auto target = [workspace](const Side& side, const Visit& visit) {
    return workspace + (visit.box.is_rearranged() ? side.cells : side.box);
  };
  for (std::size_t a = 0; a < operands_.size(); ++a) {
    Side& side = operands_[a];
    if (!comes(side)) continue;
    Visit& visit = side.visit(round);
    T* buffer = workspace + side.buffer;
    if (visit.fetching) {
      visit.fetching->start(communicator, operands[a], target(side, visit), buffer,
                            traffic.exchange);
    } else {
      visit.transfer->start(communicator, operands[a], target(side, visit), buffer,
                            buffer + visit.transfer->send_buffer(), traffic.exchange);
    }
  }
  for (std::size_t a = 0; a < operands_.size(); ++a) {
    Side& side = operands_[a];
    Visit& visit = side.visit(round);
    if (comes(side)) {
      if (visit.fetching) {
        visit.fetching->finish();
      } else {
        visit.transfer->finish(communicator, T(1), T(0), traffic.exchange);
      }
      const comm::InPhase moves(comm::Phase::exchange);
      if (visit.box.is_rearranged())
        rearrange(visit.box, Direction::to_box, workspace + side.cells, workspace + side.box);
    }
    boxes_[a] = visit.box.in_place ? operands[a] + *visit.box.in_place : workspace + side.box;
  }
}

template <class T>
void Summation<T>::compute(std::size_t round, T alpha, T beta, T* result, T* workspace) {
  if (!works_) return;
  const NeededBox& box = result_.visit(round).box;
  if (box.cells.empty()) return;  // nothing in this round
  const LocalSummation<T>& local = local_[local_of_round_[round]];
  const bool first = round == 0 || result_.visits.size() > 1;
  if (!box.in_place) {  // alpha is applied where contributions are added up
    local.run(T(1), boxes_, first, workspace + result_.box, workspace + local_workspace_);
    return;
  }
  T* target = result + *box.in_place;
  if (first && beta != T(0) && beta != T(1)) {
    for (std::int64_t e = 0; e < box.words(); ++e) target[e] *= beta;
  }
  local.run(alpha, boxes_, first && beta == T(0), target, workspace + local_workspace_);
}

template <class T>
void Summation<T>::reduce(const Communicator& communicator, std::size_t round, T alpha, T beta,
                          T* result, T* workspace, EinsumTraffic& traffic) {
  Visit& visit = result_.visit(round);
  const T* source = workspace + result_.box;
  if (visit.box.is_rearranged()) {
    const comm::InPhase moves(comm::Phase::reduce);
    rearrange(visit.box, Direction::to_cells, workspace + result_.box, workspace + result_.cells);
    source = workspace + result_.cells;
  }
  visit.transfer->execute(communicator, alpha, source, beta, result, workspace + result_.buffer,
                          traffic.reduce);
}

// This rank's box of the iteration space is D; it is cut into rounds D_0, D_1, .. along one index.
//
//   for each round s:
//     the projections of D_s on the operands, from the ranks that own their parts
//     R(D_s) += the sum of products of D_s, two operands at a time, block by block
//   result = beta result + alpha times the sum of all ranks' R: to the owners of its parts; after
//   each round where the rounds cut the result, else after the last
template <class T>
void Summation<T>::execute(const Communicator& communicator, T alpha,
                           const std::vector<const T*>& operands, T beta, T* result, T* workspace,
                           EinsumTraffic& traffic) {
  if (adds_in_rounds_) {
    for (std::int64_t e = 0; e < owned_result_; ++e)
      result[e] = beta == T(0) ? T(0) : beta * result[e];
    beta = T(1);
  }
  for (std::size_t round = 0; round < rounds_; ++round) {
    fetch(communicator, round, operands, workspace, traffic);
    compute(round, alpha, beta, result, workspace);
    if (result_.visits.size() > 1 || round + 1 == rounds_)
      reduce(communicator, round, alpha, beta, result, workspace, traffic);
  }
}

template class Summation<float>;
template class Summation<double>;
template class Summation<std::complex<float>>;
template class Summation<std::complex<double>>;

}  // namespace redblue::tensor
