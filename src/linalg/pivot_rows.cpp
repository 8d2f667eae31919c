#include "linalg/pivot_rows.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "linalg/lapack.hpp"

namespace redblue {

using comm::Communicator;
using comm::Message;

namespace {

enum Tag { rows_tag = 16, upper_tag };

}  // namespace

template <class T>
PivotRows<T>::PivotRows(std::vector<int> column, int mine, int layers, std::int64_t block,
                        std::int64_t columns)
    : column_(std::move(column)),
      mine_(mine),
      layers_(layers),
      row_words_(block * columns),
      slice_words_(block * (columns / static_cast<std::int64_t>(column_.size()) + 1)) {
  // taken rows twice, U's, and what comes; with layers also the slice and its parts, twice each
  workspace_ = 3 * row_words_ + std::max(row_words_, layers_ * slice_words_);
  if (layers_ > 1) workspace_ += 4 * slice_words_;
}

template <class T>
UpperRows<T> PivotRows<T>::gather(const Communicator& communicator, const ActiveRows& active,
                                  std::int64_t leading, const PivotStep<T>& step, T* a, int parity,
                                  T* workspace, std::vector<MPI_Request>& sends, Traffic& traffic) {
  Shares shares(static_cast<std::size_t>(grid_rows()));
  for (std::size_t i = 0; i < step.pivots.size(); ++i) {
    const int holder = active.class_of(step.pivots[i]) % grid_rows();
    shares[static_cast<std::size_t>(holder)].push_back(static_cast<std::int64_t>(i));
  }
  const std::vector<std::int64_t>& mine = shares[static_cast<std::size_t>(mine_ % grid_rows())];
  const auto count = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> places;
  for (const std::int64_t i : mine) {
    places.push_back(active.place(step.pivots[static_cast<std::size_t>(i)]));
  }
  T* next = workspace;
  const auto take = [&next](std::int64_t words) { return std::exchange(next, next + words); };
  T* const both[] = {take(row_words_), take(row_words_)};
  T* const taken = both[parity];
  T* const upper = take(row_words_);
  constexpr std::int64_t ahead = 2;                 // columns; their rows stand far apart in memory
  for (std::int64_t c = 0; c < step.across; ++c) {  // out, and the gaps closed, while in cache
    T* column = a + (step.first + c) * leading;
    if (c + ahead < step.across) {
      for (const std::int64_t p : places) __builtin_prefetch(column + ahead * leading + p, 1);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      taken[i + c * count] = column[places[static_cast<std::size_t>(i)]];
    }
    active.close_gaps(column);
  }
  if (layers_ == 1) {
    return whole(communicator, shares, step, taken, take(row_words_), upper, sends, traffic);
  }
  T* const solved[] = {take(slice_words_), take(slice_words_)};
  T* const parts[] = {take(slice_words_), take(slice_words_)};
  sum_slice(communicator, shares, step, taken, next, solved[parity], sends, traffic);
  return spread(communicator, step, solved[parity], parts[parity], next, upper, sends, traffic);
}

// Every rank gets all rows and solves for all of U's.
template <class T>
UpperRows<T> PivotRows<T>::whole(const Communicator& communicator, const Shares& shares,
                                 const PivotStep<T>& step, const T* taken, T* received, T* upper,
                                 std::vector<MPI_Request>& sends, Traffic& traffic) {
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  std::vector<const T*> from(shares.size());
  const auto count_of = [&shares](int r) {
    return static_cast<std::int64_t>(shares[static_cast<std::size_t>(r)].size());
  };
  const std::int64_t sent = count_of(mine_) * step.across;
  for (int turn = 1; turn < classes(); ++turn) {
    const int r = (mine_ + turn) % classes();
    const Rank peer{column_[static_cast<std::size_t>(r)]};
    const std::int64_t words = count_of(r) * step.across;
    from[static_cast<std::size_t>(r)] = received;
    if (words > 0) {
      communicator.receive(received, Message::of<T>(peer, rows_tag, {{0, words}}), receives_,
                           traffic);
    }
    received += words;
    if (sent > 0) {
      communicator.send(taken, Message::of<T>(peer, rows_tag, {{0, sent}}), sends, traffic);
    }
  }
  from[static_cast<std::size_t>(mine_)] = taken;
  Communicator::wait(receives_);
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const auto held = static_cast<std::int64_t>(shares[r].size());
    for (std::int64_t c = 0; c < step.across; ++c) {
      for (std::int64_t i = 0; i < held; ++i) {
        upper[shares[r][static_cast<std::size_t>(i)] + c * width] = from[r][i + c * held];
      }
    }
  }
  lapack::solve({lapack::Side::left, 'L', 'N', true}, width, step.across, step.square.data(), width,
                upper, width);
  return {upper, 0, width};
}

// This rank's slice of U's columns: what all layers have of the rows, added up and solved for.
template <class T>
void PivotRows<T>::sum_slice(const Communicator& communicator, const Shares& shares,
                             const PivotStep<T>& step, const T* taken, T* received, T* solved,
                             std::vector<MPI_Request>& sends, Traffic& traffic) {
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  const Range own = slice(step.across, mine_);
  const auto share_of = [&](int c) -> const std::vector<std::int64_t>& {
    return shares[static_cast<std::size_t>(c % grid_rows())];
  };
  const auto count = static_cast<std::int64_t>(share_of(mine_).size());
  std::vector<const T*> from(static_cast<std::size_t>(classes()));
  for (int turn = 1; turn < classes(); ++turn) {
    const int r = (mine_ + turn) % classes();
    const Rank peer{column_[static_cast<std::size_t>(r)]};
    const auto words = static_cast<std::int64_t>(share_of(r).size()) * own.size();
    from[static_cast<std::size_t>(r)] = received;
    if (words > 0) {
      communicator.receive(received, Message::of<T>(peer, rows_tag, {{0, words}}), receives_,
                           traffic);
    }
    received += words;
    const Range theirs = slice(step.across, r);
    if (count * theirs.size() > 0) {
      communicator.send(
          taken, Message::of<T>(peer, rows_tag, {{count * theirs.begin, count * theirs.size()}}),
          sends, traffic);
    }
  }
  from[static_cast<std::size_t>(mine_)] = taken + count * own.begin;
  Communicator::wait(receives_);
  std::fill_n(solved, width * own.size(), T(0));
  for (int r = 0; r < classes(); ++r) {
    const std::vector<std::int64_t>& share = share_of(r);
    const auto held = static_cast<std::int64_t>(share.size());
    const T* rows = from[static_cast<std::size_t>(r)];
    for (std::int64_t c = 0; c < own.size(); ++c) {
      for (std::int64_t i = 0; i < held; ++i) {
        solved[share[static_cast<std::size_t>(i)] + c * width] += rows[i + c * held];
      }
    }
  }
  lapack::solve({lapack::Side::left, 'L', 'N', true}, width, own.size(), step.square.data(), width,
                solved, width);
}

// Each rank's slice to all: the rows its layer needs, all rows to the one that stores them.
template <class T>
UpperRows<T> PivotRows<T>::spread(const Communicator& communicator, const PivotStep<T>& step,
                                  const T* solved, T* parts, T* received, T* upper,
                                  std::vector<MPI_Request>& sends, Traffic& traffic) {
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  const Range own = slice(step.across, mine_);
  std::vector<const T*> part(static_cast<std::size_t>(layers_));
  for (int layer = 0; layer < layers_; ++layer) {
    const Range rows = chunk(width, layer, layers_);
    part[static_cast<std::size_t>(layer)] = parts;
    for (std::int64_t c = 0; c < own.size(); ++c) {
      parts = std::copy_n(solved + rows.begin + c * width, rows.size(), parts);
    }
  }
  const bool keeps = step.keeper == mine_;
  const Range wanted = keeps ? Range{0, width} : chunk(width, mine_ / grid_rows(), layers_);
  std::vector<const T*> from(static_cast<std::size_t>(classes()));
  for (int turn = 1; turn < classes(); ++turn) {
    const int r = (mine_ + turn) % classes();
    const Rank peer{column_[static_cast<std::size_t>(r)]};
    const std::int64_t words = wanted.size() * slice(step.across, r).size();
    from[static_cast<std::size_t>(r)] = received;
    if (words > 0) {
      communicator.receive(received, Message::of<T>(peer, upper_tag, {{0, words}}), receives_,
                           traffic);
    }
    received += words;
    const bool stores = r == step.keeper;
    const int layer = r / grid_rows();
    const std::int64_t rows = stores ? width : chunk(width, layer, layers_).size();
    if (rows * own.size() == 0) continue;
    communicator.send(stores ? solved : part[static_cast<std::size_t>(layer)],
                      Message::of<T>(peer, upper_tag, {{0, rows * own.size()}}), sends, traffic);
  }
  from[static_cast<std::size_t>(mine_)] =
      keeps ? solved : part[static_cast<std::size_t>(mine_ / grid_rows())];
  Communicator::wait(receives_);
  for (int r = 0; r < classes(); ++r) {
    const Range columns = slice(step.across, r);
    std::copy_n(from[static_cast<std::size_t>(r)], wanted.size() * columns.size(),
                upper + wanted.size() * columns.begin);
  }
  return {upper, wanted.begin, wanted.size()};
}

template class PivotRows<float>;
template class PivotRows<double>;
template class PivotRows<std::complex<float>>;
template class PivotRows<std::complex<double>>;

}  // namespace redblue
