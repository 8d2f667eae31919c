// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/gemm/line_exchange.hpp"

#include <algorithm>
#include <complex>

#include "comm/phases.hpp"
#include "decomposition/doubling.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;
using comm::Run;

namespace {

// A message without words is none.
template <class T>
std::optional<Message> message(int peer, int tag, const std::vector<Run>& runs) {
  if (runs.empty()) return std::nullopt;
  return Message::of<T>(Rank{peer}, tag, runs);
}

std::vector<Run> runs_of(const std::vector<Range>& ranges) {
  std::vector<Run> runs;
  for (const Range& r : ranges) comm::append(runs, {r.begin, r.size()});
  return runs;
}

}  // namespace

template <class T>
LineExchange<T>::LineExchange(const Cell& cell, std::size_t member, Way way, int tag) : way_(way) {
  const auto members = static_cast<std::int64_t>(cell.needers.size());
  const auto me = static_cast<std::int64_t>(member);
  const auto rank = [&cell, members](std::int64_t t) {
    return cell.needers[static_cast<std::size_t>((t + members) % members)];
  };
  for (const DoublingStage& s : doubling_stages(members)) {
    const std::vector<Range> near = block_ranges(cell.begins, me, s.blocks);
    const std::vector<Range> far = block_ranges(cell.begins, me + s.distance, s.blocks);
    Stage stage;
    if (way == Way::gather) {
      stage.sent = message<T>(rank(me - s.distance), tag, runs_of(near));
      stage.received = message<T>(rank(me + s.distance), tag, runs_of(far));
    } else {
      std::int64_t words = 0;
      for (const Range& r : near) words += r.size();
      staging_ = std::max(staging_, words);
      stage.sent = message<T>(rank(me + s.distance), tag, runs_of(far));
      if (words > 0) stage.received = message<T>(rank(me - s.distance), tag, {{0, words}});
      stage.added = near;
    }
    stages_.push_back(std::move(stage));
  }
  if (way == Way::add_up) std::reverse(stages_.begin(), stages_.end());
  pending_.reserve(2);
}

template <class T>
void LineExchange<T>::start(const Communicator& communicator, std::size_t stage, T* block,
                            T* staging, Traffic& count) {
  const comm::InPhase moves(way_ == Way::gather ? comm::Phase::exchange : comm::Phase::reduce);
  const Stage& s = stages_[stage];
  T* target = way_ == Way::gather ? block : staging;
  if (s.received) communicator.receive(target, *s.received, pending_, count);
  if (s.sent) communicator.send(block, *s.sent, pending_, count);
}

template <class T>
void LineExchange<T>::finish(std::size_t stage, T* block, const T* staging) {
  const comm::InPhase moves(way_ == Way::gather ? comm::Phase::exchange : comm::Phase::reduce);
  Communicator::wait(pending_);
  for (const Range& r : stages_[stage].added) {
    for (std::int64_t e = r.begin; e < r.end; ++e) block[e] += *staging++;
  }
}

template class LineExchange<float>;
template class LineExchange<double>;
template class LineExchange<std::complex<float>>;
template class LineExchange<std::complex<double>>;

}  // namespace redblue::linalg
