// SPDX-License-Identifier: BSD-3-Clause
// Where a rank's time goes: each moment of an execution belongs to one phase. No synchronisation,
// and without a Timing no reading of clocks.
#pragma once

#include <array>
#include <cstddef>

namespace redblue::comm {

// compute: whatever is not one of the others. exchange: packing, posting and unpacking what others
// or this rank multiply. reduce: the same for contributions, and adding them up. redistribute: the
// same between the caller's layout and the plan's. wait: nothing is left to do until messages have
// come or gone; what MPI itself copies meanwhile is in it.
enum class Phase : std::size_t { compute, exchange, reduce, redistribute, wait };

inline constexpr std::array<const char*, 5> phase_names = {"compute", "exchange", "reduce",
                                                           "redistribute", "wait"};

using PhaseSeconds = std::array<double, phase_names.size()>;

class PhaseClock {
 public:
  void start();                                             // forgets all; computes from now on
  void stop();                                              // the last phase is over
  const PhaseSeconds& seconds() const { return seconds_; }  // between start() and stop()

  // Returns the phase that was. Within a phase that is not computation only a wait begins another:
  // what is posted to reduce belongs to the reduction.
  Phase enter(Phase next);
  void leave(Phase before) { change_to(before); }

 private:
  void change_to(Phase next);

  PhaseSeconds seconds_{};
  Phase now_ = Phase::compute;
  double since_ = 0;
};

// The clock of this thread; null: nothing is timed.
PhaseClock* phase_clock();

// Makes a clock this thread's for as long as it lives, and starts and stops it.
class Timing {
 public:
  explicit Timing(PhaseClock& clock);
  ~Timing();
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;
};

// Around what belongs to a phase.
class InPhase {
 public:
  explicit InPhase(Phase phase) : clock_(phase_clock()) {
    if (clock_ != nullptr) before_ = clock_->enter(phase);
  }
  ~InPhase() {
    if (clock_ != nullptr) clock_->leave(before_);
  }
  InPhase(const InPhase&) = delete;
  InPhase& operator=(const InPhase&) = delete;

 private:
  PhaseClock* clock_;
  Phase before_ = Phase::compute;
};

// Of a processor of this machine, what each rank on it has: 1, or less where the launcher says that
// they are more than the processors.
double processor_share();

}  // namespace redblue::comm
