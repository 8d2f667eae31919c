// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/serving/history.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "comm/recorder.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/settings.hpp"

namespace redblue::scalapack {

namespace {

// The call at hand, timed and its messages recorded.
struct Measurement {
  comm::PhaseClock clock;
  comm::Recorder recorder;
  std::optional<comm::Timing> timing;
  std::optional<comm::Recording> recording;
  double begin = 0;

  void start() {
    stop();
    begin = comm::seconds();
    recorder.start();
    timing.emplace(clock);
    recording.emplace(recorder);
  }
  void stop() {
    recording.reset();
    timing.reset();
  }
};

Measurement& measurement() {
  static Measurement instance;
  return instance;
}

// The call that ScaLAPACK works on.
struct Passing {
  PassedCalls* calls = nullptr;  // null: another process tells of it
  std::string routine;
  double begin = 0;
  bool is_under_way = false;
};

Passing& passing() {
  static Passing instance;
  return instance;
}

bool keeps_history() {
  static const bool value = !settings().page.empty();
  return value;
}

void add_span(const std::string& routine, double begin, double end, bool served) {
  History& all = history();
  if (all.spans.size() < most_spans) {
    all.spans.push_back({routine, begin, end, served});
  } else {
    ++all.spans_left_out;
  }
}

// Reasons differ in their numbers: times, bytes.
std::string without_numbers(const std::string& text) {
  std::string kind;
  for (const char c : text) {
    const bool number = (c >= '0' && c <= '9') || c == '.';
    if (!number) kind += c;
  }
  return kind;
}

void add_own(const comm::PhaseSeconds& phases, double seconds, const Served& call) {
  OwnTotals& own = history().own;
  ++own.served;
  own.received +=
      static_cast<double>((call.redistribute + call.exchange + call.reduce).words_received.value);
  own.seconds += seconds;
  for (std::size_t p = 0; p < phases.size(); ++p) own.phases[p] += phases[p];
  for (const task_graph::Action& a : measurement().recorder.actions().actions) {
    if (a.kind == task_graph::Action::Kind::send) own.sent[a.peer] += static_cast<double>(a.words);
  }
}

}  // namespace

History& history() {
  static History instance;
  return instance;
}

void begin_measuring() {
  if (keeps_history()) measurement().start();
}

void stop_measuring() {
  if (keeps_history()) measurement().stop();
}

void note_served(comm::Communicator& communicator, const Served& call, std::int64_t bytes) {
  if (!keeps_history()) return;
  Measurement& measured = measurement();
  measured.stop();
  const double end = comm::seconds();
  const comm::PhaseSeconds& phases = measured.clock.seconds();
  add_own(phases, end - measured.begin, call);
  std::vector<double> most = {
      static_cast<double>((call.redistribute + call.exchange + call.reduce).words_received.value),
      static_cast<double>(bytes), end - measured.begin};
  communicator.maximum(most);
  std::vector<double> sums(phases.begin(), phases.end());
  communicator.sum(sums);
  if (communicator.rank().value != 0) return;
  ServedCalls& calls = history().served[{call.routine, call.what}];
  calls.processes = communicator.size();
  ++calls.times;
  calls.words += most[0];
  calls.bound += std::max(0.0, call.bound);
  calls.most_bytes = std::max(calls.most_bytes, most[1]);
  calls.seconds += most[2];
  for (std::size_t p = 0; p < sums.size(); ++p) calls.phases[p] += sums[p] / communicator.size();
  add_span(call.routine, measured.begin, end, true);
}

void begin_passing_on(const std::string& routine, const std::string& why, bool first) {
  if (!keeps_history()) return;
  measurement().stop();
  ++history().own.passed_on;
  PassedCalls* calls = nullptr;
  if (first) {
    calls = &history().passed[{routine, without_numbers(why)}];
    ++calls->times;
    calls->why = why;
  }
  passing() = {calls, routine, comm::seconds(), true};
}

void end_passing_on() {
  if (!passing().is_under_way) return;
  const Passing call = std::exchange(passing(), {});
  const double end = comm::seconds();
  history().own.passed_seconds += end - call.begin;
  if (call.calls == nullptr) return;
  call.calls->seconds += end - call.begin;
  add_span(call.routine, call.begin, end, false);
}

}  // namespace redblue::scalapack
