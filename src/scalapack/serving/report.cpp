// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/serving/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "loader/symbols.hpp"
#include "redblue/error.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/serving/agreement.hpp"
#include "scalapack/serving/history.hpp"
#include "scalapack/serving/settings.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

namespace {

struct Routine {
  long served = 0;
  long passed_on = 0;
  std::int64_t most_bytes = 0;  // beyond the matrices, in one call
  Traffic redistribute, exchange, reduce;
};

// Printed when the process ends, by the first process of the first grid that was served.
struct Report {
  std::map<std::string, Routine> routines;
  bool is_root = false;
  pid_t process = getpid();  // a child that it forks says nothing

  ~Report() {
    if (!is_root || !settings().report || process != getpid()) return;
    for (const auto& [name, r] : routines) {
      std::fprintf(stderr,
                   "redblue: %s served %ld calls, passed on %ld; words received on this process: "
                   "%lld redistribute, %lld exchange, %lld reduce; at most %lld bytes beyond the "
                   "matrices\n",
                   name.c_str(), r.served, r.passed_on,
                   static_cast<long long>(r.redistribute.words_received.value),
                   static_cast<long long>(r.exchange.words_received.value),
                   static_cast<long long>(r.reduce.words_received.value),
                   static_cast<long long>(r.most_bytes));
    }
  }
};

Report& report() {
  static Report instance;
  return instance;
}

int& calls_passed_on_now() {
  static int count = 0;
  return count;
}

void print(comm::Communicator& communicator, const Served& call, std::int64_t bytes) {
  bytes = communicator.maximum(bytes);
  const std::int64_t words =
      communicator.maximum((call.redistribute + call.exchange + call.reduce).words_received.value);
  if (communicator.rank().value != 0) return;
  std::fprintf(stderr, "redblue: %s %s: %lld words received by the busiest process",
               call.routine.c_str(), call.what.c_str(), static_cast<long long>(words));
  if (call.bound > 0) {
    std::fprintf(stderr, ", bound %.0f, ratio %.2f", call.bound,
                 static_cast<double>(words) / call.bound);
  }
  std::fprintf(stderr, ", %lld bytes beyond the matrices\n", static_cast<long long>(bytes));
}

}  // namespace

void record_served(comm::Communicator& communicator, const Served& call) {
  stop_clock();
  const std::int64_t bytes = finish_with_workspace();
  Routine& r = report().routines[call.routine];
  ++r.served;
  r.most_bytes = std::max(r.most_bytes, bytes);
  r.redistribute += call.redistribute;
  r.exchange += call.exchange;
  r.reduce += call.reduce;
  report().is_root = report().is_root || communicator.rank().value == 0;
  note_served(communicator, call, bytes);
  if (settings().report_each_call) print(communicator, call, bytes);
}

Reason& reason_at_hand() {
  static Reason reason;
  return reason;
}

bool is_passing_on() {
  return calls_passed_on_now() > 0;
}

PassingOn::PassingOn() {
  ++calls_passed_on_now();
}
PassingOn::~PassingOn() {
  if (--calls_passed_on_now() > 0) return;
  stop_clock();
  end_passing_on();
}

void* symbol_behind(const std::string& routine, const std::string& symbol) {
  static std::map<std::string, void*> found;
  const auto [entry, first] = found.try_emplace(symbol, nullptr);
  if (first) entry->second = loader::next_symbol(symbol.c_str());
  const Reason reason = std::exchange(reason_at_hand(), {});
  if (entry->second == nullptr) {
    throw Error(routine,
                reason.text.empty() ? "arguments that redblue does not serve, and no ScaLAPACK"
                                    : reason.text + ", and no ScaLAPACK",
                "link ScaLAPACK after redblue");
  }
  if (is_passing_on()) return entry->second;
  ++report().routines[routine].passed_on;
  const std::string why =
      reason.text.empty() ? "arguments that redblue does not serve" : reason.text;
  const bool tells = reason.text.empty() ? is_first_process() : reason.prints;
  begin_passing_on(routine, why, tells);
  if (settings().report_each_call && tells) {
    std::fprintf(stderr, "redblue: %s passed on to ScaLAPACK: %s\n", routine.c_str(), why.c_str());
  }
  return entry->second;
}

long served_calls() {
  long total = 0;
  for (const auto& [name, r] : report().routines) total += r.served;
  return total;
}
long passed_on_calls() {
  long total = 0;
  for (const auto& [name, r] : report().routines) total += r.passed_on;
  return total;
}

}  // namespace redblue::scalapack
