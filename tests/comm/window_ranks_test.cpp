// SPDX-License-Identifier: BSD-3-Clause
// Memory that other ranks read: every word that is read against what its owner wrote, again and
// again, and the words counted. On 2 or more ranks.
#include "comm/window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "linalg/random_layouts.hpp"

namespace redblue::comm {
namespace {

constexpr std::int64_t words = 60;
constexpr double missing = -1;

// What a rank's memory holds at a place in a turn.
double value(int rank, std::int64_t place, int turn) {
  return 1000 * (rank + 1) + static_cast<double>(place) + 0.25 * turn;
}

// Segments one after the other, with and without gaps between them.
std::vector<comm::Run> random_segments(Dice& dice) {
  std::vector<comm::Run> segments;
  for (std::int64_t at = dice.between(0, 5); at < words;) {
    const std::int64_t length = std::min(dice.between(1, 9), words - at);
    append(segments, {at, length});
    at += length + dice.between(0, 6);
  }
  return segments;
}

std::int64_t length(const std::vector<comm::Run>& segments) {
  std::int64_t sum = 0;
  for (const Run& s : segments) sum += s.length;
  return sum;
}

std::vector<std::int64_t> places(const std::vector<comm::Run>& segments) {
  std::vector<std::int64_t> result;
  for (const Run& s : segments) {
    for (std::int64_t i = 0; i < s.length; ++i) result.push_back(s.offset + i);
  }
  return result;
}

// Which ranks each rank reads from, the same on all.
std::vector<std::vector<int>> random_sources(Dice& dice, int ranks) {
  std::vector<std::vector<int>> sources(static_cast<std::size_t>(ranks));
  for (int reader = 0; reader < ranks; ++reader) {
    for (int source = 0; source < ranks; ++source) {
      if (source != reader && !dice.one_in(3)) {
        sources[static_cast<std::size_t>(reader)].push_back(source);
      }
    }
  }
  return sources;
}

// Readers get a run of the source's words into segments of a buffer of their own.
TEST(Window, ReadersGetWhatWasWrittenBeforeItOpened) {
  Communicator world(MPI_COMM_WORLD);
  const int me = world.rank().value;
  std::int64_t got = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Dice dice(seed);
    const auto sources = random_sources(dice, world.size());
    const std::vector<int>& mine = sources[static_cast<std::size_t>(me)];
    std::vector<int> readers;
    for (int r = 0; r < world.size(); ++r) {
      const auto& of_r = sources[static_cast<std::size_t>(r)];
      if (std::find(of_r.begin(), of_r.end(), me) != of_r.end()) readers.push_back(r);
    }
    Window window(world, words * static_cast<std::int64_t>(sizeof(double)), readers, mine);
    for (int turn = 0; turn < 3; ++turn) {
      const std::vector<comm::Run> to = random_segments(dice);
      const std::int64_t first = dice.between(0, words - length(to));
      auto* memory = static_cast<double*>(window.memory());
      for (std::int64_t w = 0; w < words; ++w) memory[w] = value(me, w, turn);
      std::vector<std::vector<double>> buffers(mine.size(), std::vector<double>(words, missing));
      Traffic traffic;
      window.open();
      for (std::size_t s = 0; s < mine.size(); ++s) {
        window.get(buffers[s].data(), Message::of<double>(Rank{mine[s]}, 0, to), first, traffic);
      }
      window.complete();
      window.close();
      for (std::size_t s = 0; s < mine.size(); ++s) {
        std::vector<double> wanted(words, missing);
        std::int64_t next = first;
        for (const std::int64_t p : places(to)) {
          wanted[static_cast<std::size_t>(p)] = value(mine[s], next++, turn);
        }
        EXPECT_EQ(buffers[s], wanted) << "from rank " << mine[s] << ", seed " << seed;
      }
      const auto count = static_cast<std::int64_t>(mine.size());
      EXPECT_EQ(traffic.words_received, Words(count * length(to)));
      EXPECT_EQ(traffic.messages_received, Messages(count));
      EXPECT_EQ(traffic.words_sent, Words(0));
      got += traffic.words_received.value;
    }
  }
  EXPECT_EQ(world.maximum(got) > 0, world.size() > 1);
}

TEST(Window, MovesWithItsMemory) {
  Communicator world(MPI_COMM_WORLD);
  const int next = (world.rank().value + 1) % world.size();
  const int before = (world.rank().value - 1 + world.size()) % world.size();
  std::vector<Window> windows;
  for (int i = 0; i < 3; ++i) {  // the vector grows and moves them
    windows.emplace_back(world, 8, std::vector<int>{before}, std::vector<int>{next});
    *static_cast<double*>(windows.back().memory()) = value(world.rank().value, i, 0);
  }
  for (int i = 0; i < 3; ++i) {
    Window& window = windows[static_cast<std::size_t>(i)];
    double got = missing;
    Traffic traffic;
    window.open();
    window.get(&got, Message::of<double>(Rank{next}, 0, {{0, 1}}), 0, traffic);
    window.complete();
    window.close();
    EXPECT_EQ(got, value(next, i, 0));
  }
}

// From segments of the owners' arrays, at any time, into segments of the readers'.
TEST(Exposure, ReadersTakeWhatStandsWhereItIs) {
  Communicator world(MPI_COMM_WORLD);
  const int me = world.rank().value;
  std::int64_t got = 0;
  for (std::uint64_t seed = 50; seed < 60; ++seed) {
    Dice dice(seed);
    const auto sources = random_sources(dice, world.size());
    const std::vector<int>& mine = sources[static_cast<std::size_t>(me)];
    const std::vector<comm::Run> from = random_segments(dice);
    // the same words, elsewhere and in one piece or in pieces
    std::vector<comm::Run> to = {{dice.between(0, words - length(from)), length(from)}};
    if (dice.one_in(2) && length(from) > 1)
      to = {{0, 1}, {words - length(from) + 1, length(from) - 1}};
    std::vector<double> memory;
    for (std::int64_t w = 0; w < words; ++w) memory.push_back(value(me, w, 0));
    const std::vector<double> before = memory;
    std::vector<std::vector<double>> buffers(mine.size(), std::vector<double>(words, missing));
    Traffic traffic;
    {
      Exposure exposure(world, memory.data(), words * static_cast<std::int64_t>(sizeof(double)));
      for (std::size_t s = 0; s < mine.size(); ++s) {
        exposure.get(buffers[s].data(), Message::of<double>(Rank{mine[s]}, 0, to),
                     Message::of<double>(Rank{mine[s]}, 0, from), traffic);
      }
      for (const int source : mine) exposure.complete(Rank{source});
      const std::vector<std::int64_t> here = places(to);
      const std::vector<std::int64_t> there = places(from);
      for (std::size_t s = 0; s < mine.size(); ++s) {
        std::vector<double> wanted(words, missing);
        for (std::size_t w = 0; w < here.size(); ++w) {
          wanted[static_cast<std::size_t>(here[w])] = value(mine[s], there[w], 0);
        }
        EXPECT_EQ(buffers[s], wanted) << "from rank " << mine[s] << ", seed " << seed;
      }
    }
    EXPECT_EQ(memory, before);
    const auto count = static_cast<std::int64_t>(mine.size());
    EXPECT_EQ(traffic.words_received, Words(count * length(from)));
    EXPECT_EQ(traffic.messages_received, Messages(count));
    got += traffic.words_received.value;
  }
  EXPECT_EQ(world.maximum(got) > 0, world.size() > 1);
}

}  // namespace
}  // namespace redblue::comm
