// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <numeric>

#include "comm/number.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/lu/lu.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;

namespace {

constexpr int tournament_tag = 1;

}  // namespace

template <class T>
Candidates<T> best_of(std::int64_t width, const std::vector<std::int64_t>& numbers, const T* values,
                      std::int64_t leading, bool factored) {
  const auto rows = static_cast<std::int64_t>(numbers.size());
  const std::int64_t kept = std::min(rows, width);
  std::vector<T> factors;
  factors.reserve(static_cast<std::size_t>(rows * width));
  for (std::int64_t c = 0; c < width; ++c) {
    factors.insert(factors.end(), values + c * leading, values + c * leading + rows);
  }
  std::vector<int> exchanges;
  lapack::lu(rows, width, factors.data(), rows, exchanges);
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    std::swap(order[i], order[static_cast<std::size_t>(exchanges[i])]);
  }
  order.resize(static_cast<std::size_t>(kept));
  Candidates<T> best;
  for (const std::int64_t row : order) {
    best.rows.push_back(numbers[static_cast<std::size_t>(row)]);
  }
  best.values.reserve(static_cast<std::size_t>(kept * width));
  for (std::int64_t c = 0; c < width; ++c) {
    const auto factor = factors.begin() + c * rows;
    if (factored) {
      best.values.insert(best.values.end(), factor, factor + kept);
    } else {
      for (const std::int64_t row : order) best.values.push_back(values[row + c * leading]);
    }
  }
  return best;
}

namespace {

// The same of the rows in `candidates`, which the best replace.
template <class T>
void keep_best(std::int64_t width, Candidates<T>& candidates, bool factored) {
  candidates = best_of(width, candidates.rows, candidates.values.data(),
                       static_cast<std::int64_t>(candidates.rows.size()), factored);
}

}  // namespace

// One message, of the same size everywhere: `width` row numbers, -1 where there are fewer
// candidates, and a width x width array of their elements.
template <class T>
void Tournament<T>::send(const Communicator& communicator, int peer, std::int64_t width,
                         const Candidates<T>& candidates, std::vector<T>& buffer,
                         std::vector<MPI_Request>& pending, Traffic& traffic) const {
  const std::int64_t head = words_of_numbers<T>(width);
  buffer.assign(static_cast<std::size_t>(head + width * width), T(0));
  std::vector<std::int64_t> numbers = candidates.rows;
  numbers.resize(static_cast<std::size_t>(width), -1);
  std::memcpy(static_cast<void*>(buffer.data()), numbers.data(),
              numbers.size() * sizeof(std::int64_t));
  std::copy(candidates.values.begin(), candidates.values.end(), buffer.begin() + head);
  communicator.send(buffer.data(),
                    Message::of<T>(Rank{ranks_[static_cast<std::size_t>(peer)]}, tournament_tag,
                                   {{0, head + width * width}}),
                    pending, traffic);
}

template <class T>
Candidates<T> Tournament<T>::receive(const Communicator& communicator, int peer, std::int64_t width,
                                     Traffic& traffic) const {
  const std::int64_t head = words_of_numbers<T>(width);
  std::vector<T> buffer(static_cast<std::size_t>(head + width * width));
  std::vector<MPI_Request> pending;
  communicator.receive(buffer.data(),
                       Message::of<T>(Rank{ranks_[static_cast<std::size_t>(peer)]}, tournament_tag,
                                      {{0, head + width * width}}),
                       pending, traffic);
  Communicator::wait(pending);
  Candidates<T> result;
  result.rows.resize(static_cast<std::size_t>(width));
  std::memcpy(result.rows.data(), buffer.data(), result.rows.size() * sizeof(std::int64_t));
  std::erase(result.rows, -1);
  const auto count = static_cast<std::int64_t>(result.rows.size());
  result.values.assign(buffer.begin() + head, buffer.begin() + head + count * width);
  return result;
}

namespace {

// First a's rows, then b's.
template <class T>
Candidates<T> stacked(std::int64_t width, const Candidates<T>& a, const Candidates<T>& b) {
  Candidates<T> result = {a.rows, {}};
  result.rows.insert(result.rows.end(), b.rows.begin(), b.rows.end());
  const auto above = static_cast<std::ptrdiff_t>(a.rows.size());
  const auto below = static_cast<std::ptrdiff_t>(b.rows.size());
  for (std::ptrdiff_t c = 0; c < width; ++c) {
    const auto x = a.values.begin() + c * above;
    const auto y = b.values.begin() + c * below;
    result.values.insert(result.values.end(), x, x + above);
    result.values.insert(result.values.end(), y, y + below);
  }
  return result;
}

}  // namespace

// An all-reduce over a butterfly [grigori2011]. With 2^q <= ranks < 2^(q+1):
//
//   rank r >= 2^q sends its candidates to r - 2^q, which keeps the best of both
//   for bit = 1, 2, 4, .. 2^(q-1): r and r XOR bit exchange candidates, each keeps the best of both
//   rank r >= 2^q receives the result
//
// The last selection leaves L and U of the pivots' square in place of their elements.
template <class T>
void Tournament<T>::run(const Communicator& communicator, std::int64_t width,
                        Candidates<T>& candidates, Traffic& traffic) const {
  const int ranks = static_cast<int>(ranks_.size());
  const int butterfly = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  std::vector<MPI_Request> pending;
  std::vector<T> buffer;
  if (index_ >= butterfly) {
    send(communicator, index_ - butterfly, width, candidates, buffer, pending, traffic);
    candidates = receive(communicator, index_ - butterfly, width, traffic);
    Communicator::wait(pending);
    return;
  }
  if (index_ + butterfly < ranks) {
    const Candidates<T> other = receive(communicator, index_ + butterfly, width, traffic);
    candidates = stacked(width, candidates, other);
    keep_best(width, candidates, false);
  }
  for (int bit = 1; bit < butterfly; bit *= 2) {
    const int partner = index_ ^ bit;
    send(communicator, partner, width, candidates, buffer, pending, traffic);
    const Candidates<T> other = receive(communicator, partner, width, traffic);
    Communicator::wait(pending);
    // the lower rank's candidates come first, so both select the same rows
    candidates =
        partner < index_ ? stacked(width, other, candidates) : stacked(width, candidates, other);
    keep_best(width, candidates, 2 * bit == butterfly);
  }
  if (butterfly == 1) keep_best(width, candidates, true);
  if (index_ + butterfly < ranks) {
    send(communicator, index_ + butterfly, width, candidates, buffer, pending, traffic);
    Communicator::wait(pending);
  }
}

#define REDBLUE_INSTANTIATE(T)                                                             \
  template Candidates<T> best_of(std::int64_t, const std::vector<std::int64_t>&, const T*, \
                                 std::int64_t, bool);                                      \
  template class Tournament<T>;
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg
