// SPDX-License-Identifier: BSD-3-Clause
#include "comm/phases.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "comm/communicator.hpp"

namespace redblue::comm {

namespace {

thread_local PhaseClock* active = nullptr;

}  // namespace

PhaseClock* phase_clock() {
  return active;
}

Timing::Timing(PhaseClock& clock) {
  active = &clock;
  clock.start();
}

Timing::~Timing() {
  active->stop();
  active = nullptr;
}

void PhaseClock::start() {
  seconds_ = {};
  now_ = Phase::compute;
  since_ = comm::seconds();
}

void PhaseClock::stop() {
  change_to(Phase::compute);
}

void PhaseClock::change_to(Phase next) {
  const double now = comm::seconds();
  seconds_[static_cast<std::size_t>(now_)] += std::max(0.0, now - std::exchange(since_, now));
  now_ = next;
}

Phase PhaseClock::enter(Phase next) {
  const Phase before = now_;
  if (before == Phase::compute || next == Phase::wait) change_to(next);
  return before;
}

double processor_share() {
  static const double value = [] {
    for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
      const char* text = std::getenv(name);
      const long ranks = text == nullptr ? 0 : std::atol(text);
      if (ranks > 0) {
        const auto processors = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
        return std::min(1.0, processors / static_cast<double>(ranks));
      }
    }
    return 1.0;
  }();
  return value;
}

}  // namespace redblue::comm
