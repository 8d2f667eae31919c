#include "comm/redistribute.hpp"

#include <algorithm>
#include <utility>

namespace redblue::comm {

using layout::Run;

namespace {

constexpr int tag = 3;

}  // namespace

template <class F>
void Redistribution::for_each_run_of(int r, int row, int column, F f) const {
  for (const OwnedPart& part : parts_[static_cast<std::size_t>(r)]) {
    const std::int64_t rows = part.rows.size();
    std::int64_t offset = part.offset;
    for (std::int64_t e = part.begin; e < part.end;) {
      const std::int64_t length = std::min(rows - e % rows, part.end - e);
      for_each_run(
          view_, row, column, part.rows.begin + e % rows, part.columns.begin + e / rows, length,
          [&](const Run& run) {
            f(offset, run);
            offset += run.length;
          },
          [&](std::int64_t skipped) { offset += skipped; });
      e += length;
    }
  }
}

Redistribution::Redistribution(Communicator& communicator, const Grid& grid,
                               const layout::BlockCyclicView& view,
                               std::vector<std::vector<OwnedPart>> parts)
    : communicator_(communicator), grid_(grid), view_(view), parts_(std::move(parts)) {
  const std::size_t ranks = static_cast<std::size_t>(communicator.size());
  cyclic_.segments.resize(ranks);
  native_.segments.resize(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    for_each_run_of(
        static_cast<int>(r), grid_.my_row, grid_.my_column,
        [&](std::int64_t, const Run& run) { cyclic_.segments[r].length += run.length; });
  }
  const int me = communicator.rank().value;
  for (int row = 0; row < grid_.rows; ++row) {
    for (int column = 0; column < grid_.columns; ++column) {
      const auto peer = static_cast<std::size_t>(grid_.rank_of(row, column));
      for_each_run_of(me, row, column, [&](std::int64_t, const Run& run) {
        native_.segments[peer].length += run.length;
      });
    }
  }
  resize(cyclic_);
  resize(native_);
}

void Redistribution::resize(Side& side) {
  std::int64_t offset = 0;
  for (Segment& s : side.segments) {
    s.offset = offset;
    offset += s.length;
  }
  side.packed.resize(static_cast<std::size_t>(offset));
}

void Redistribution::exchange(Side& from, Side& to, Traffic& count) {
  const int ranks = communicator_.size();
  const int me = communicator_.rank().value;
  std::vector<MPI_Request> pending;
  std::vector<Message> messages;
  pending.reserve(2 * static_cast<std::size_t>(ranks));
  messages.reserve(2 * static_cast<std::size_t>(ranks));
  for (int d = 1; d < ranks; ++d) {
    const int peer = (me + d) % ranks;
    const Segment& incoming = to.segments[static_cast<std::size_t>(peer)];
    const Segment& outgoing = from.segments[static_cast<std::size_t>(peer)];
    if (incoming.length > 0) {
      messages.emplace_back(Rank{peer}, tag, std::vector<Segment>{incoming});
      communicator_.receive(to.packed.data(), messages.back(), pending, count);
    }
    if (outgoing.length > 0) {
      messages.emplace_back(Rank{peer}, tag, std::vector<Segment>{outgoing});
      communicator_.send(from.packed.data(), messages.back(), pending, count);
    }
  }
  const Segment& mine = from.segments[static_cast<std::size_t>(me)];
  std::copy_n(from.packed.data() + mine.offset, mine.length,
              to.packed.data() + to.segments[static_cast<std::size_t>(me)].offset);
  Communicator::wait(pending);
}

void Redistribution::to_native(const double* local, double* owned, Traffic& count) {
  for (int r = 0; r < communicator_.size(); ++r) {
    double* out = cyclic_.packed.data() + cyclic_.segments[static_cast<std::size_t>(r)].offset;
    for_each_run_of(r, grid_.my_row, grid_.my_column, [&](std::int64_t, const Run& run) {
      for (std::int64_t e = 0; e < run.length; ++e) *out++ = local[run.local + e * run.stride];
    });
  }
  exchange(cyclic_, native_, count);
  for (int row = 0; row < grid_.rows; ++row) {
    for (int column = 0; column < grid_.columns; ++column) {
      const int peer = grid_.rank_of(row, column);
      const double* in =
          native_.packed.data() + native_.segments[static_cast<std::size_t>(peer)].offset;
      for_each_run_of(communicator_.rank().value, row, column,
                      [&](std::int64_t offset, const Run& run) {
                        std::copy_n(in, run.length, owned + offset);
                        in += run.length;
                      });
    }
  }
}

void Redistribution::from_native(const double* owned, double* local, Traffic& count) {
  for (int row = 0; row < grid_.rows; ++row) {
    for (int column = 0; column < grid_.columns; ++column) {
      const int peer = grid_.rank_of(row, column);
      double* out = native_.packed.data() + native_.segments[static_cast<std::size_t>(peer)].offset;
      for_each_run_of(communicator_.rank().value, row, column,
                      [&](std::int64_t offset, const Run& run) {
                        out = std::copy_n(owned + offset, run.length, out);
                      });
    }
  }
  exchange(native_, cyclic_, count);
  for (int r = 0; r < communicator_.size(); ++r) {
    const double* in = cyclic_.packed.data() + cyclic_.segments[static_cast<std::size_t>(r)].offset;
    for_each_run_of(r, grid_.my_row, grid_.my_column, [&](std::int64_t, const Run& run) {
      for (std::int64_t e = 0; e < run.length; ++e) local[run.local + e * run.stride] = *in++;
    });
  }
}

}  // namespace redblue::comm
