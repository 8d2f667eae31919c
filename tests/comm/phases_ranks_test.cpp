// SPDX-License-Identifier: BSD-3-Clause
// Phases of a rank's time: every moment in one, the outermost one's name, waits apart. On 2 or more
// ranks.
#include "comm/phases.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "comm/communicator.hpp"

namespace redblue::comm {
namespace {

double of(const PhaseClock& clock, Phase phase) {
  return clock.seconds()[static_cast<std::size_t>(phase)];
}

void pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST(Phases, EveryMomentBelongsToOne) {
  PhaseClock clock;
  const double start = seconds();
  {
    const Timing timing(clock);
    pause();
    {
      const InPhase reduces(Phase::reduce);
      pause();
      const InPhase exchanges(Phase::exchange);  // of what is reduced
      pause();
      const InPhase waits(Phase::wait);
      pause();
    }
    pause();
    const InPhase exchanges(Phase::exchange);
    pause();
  }
  const double wall = seconds() - start;
  constexpr double least = 0.0019;  // of a pause
  EXPECT_GE(of(clock, Phase::compute), 2 * least);
  EXPECT_GE(of(clock, Phase::reduce), 2 * least);
  EXPECT_GE(of(clock, Phase::wait), least);
  EXPECT_GE(of(clock, Phase::exchange), least);
  EXPECT_EQ(of(clock, Phase::redistribute), 0);
  const double sum = std::accumulate(clock.seconds().begin(), clock.seconds().end(), 0.0);
  EXPECT_LE(sum, wall);
  EXPECT_GE(sum, 6 * least);
}

TEST(Phases, WithoutAClockNothingIsTimed) {
  const InPhase waits(Phase::wait);
  EXPECT_EQ(phase_clock(), nullptr);
}

// Rank 0 computes before it sends: whoever receives waits for as long.
TEST(Phases, WhoHasLessToDoWaits) {
  Communicator world(MPI_COMM_WORLD);
  std::vector<double> word(1);
  std::vector<MPI_Request> pending;
  Traffic count;
  PhaseClock clock;
  world.barrier();
  {
    const Timing timing(clock);
    if (world.rank().value == 0) {
      pause();
      for (int r = 1; r < world.size(); ++r) {
        world.send(word.data(), Message::of<double>(Rank{r}, 0, {{0, 1}}), pending, count);
      }
    } else {
      world.receive(word.data(), Message::of<double>(Rank{0}, 0, {{0, 1}}), pending, count);
    }
    Communicator::wait(pending);
  }
  EXPECT_GT(of(clock, Phase::exchange), 0);
  EXPECT_GT(of(clock, Phase::wait), 0);
  EXPECT_GE(of(clock, Phase::compute), world.rank().value == 0 ? 0.0019 : 0.0);
  EXPECT_EQ(of(clock, Phase::reduce), 0);
}

TEST(Phases, ProcessorsAreShared) {
  EXPECT_GT(processor_share(), 0);
  EXPECT_LE(processor_share(), 1);
}

}  // namespace
}  // namespace redblue::comm
