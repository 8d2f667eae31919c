// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/report.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "redblue/error.hpp"
#include "scalapack/blacs.hpp"

namespace redblue::scalapack {

namespace {

struct Routine {
  long served = 0;
  long passed_on = 0;
  Traffic redistribute, exchange, reduce;
};

// Printed when the process ends, by the first process of the first grid that was served.
struct Report {
  std::map<std::string, Routine> routines;
  bool is_root = false;

  ~Report() {
    if (!is_root || std::getenv("REDBLUE_REPORT") == nullptr) return;
    for (const auto& [name, r] : routines) {
      std::fprintf(stderr,
                   "redblue: %s served %ld calls, passed on %ld; words received on this process: "
                   "%lld redistribute, %lld exchange, %lld reduce\n",
                   name.c_str(), r.served, r.passed_on,
                   static_cast<long long>(r.redistribute.words_received.value),
                   static_cast<long long>(r.exchange.words_received.value),
                   static_cast<long long>(r.reduce.words_received.value));
    }
  }
};

Report& report() {
  static Report instance;
  return instance;
}

bool line_per_call() {
  static const bool wanted = [] {
    const char* text = std::getenv("REDBLUE_REPORT");
    return text != nullptr && std::strcmp(text, "calls") == 0;
  }();
  return wanted;
}

void print(comm::Communicator& communicator, const Served& call) {
  const std::int64_t words =
      communicator.maximum((call.redistribute + call.exchange + call.reduce).words_received.value);
  if (communicator.rank().value != 0) return;
  std::fprintf(stderr, "redblue: %s %s: %lld words received by the busiest process",
               call.routine.c_str(), call.what.c_str(), static_cast<long long>(words));
  if (call.bound > 0) {
    std::fprintf(stderr, ", bound %.0f, ratio %.2f", call.bound,
                 static_cast<double>(words) / call.bound);
  }
  std::fputc('\n', stderr);
}

}  // namespace

void record_served(comm::Communicator& communicator, const Served& call) {
  Routine& r = report().routines[call.routine];
  ++r.served;
  r.redistribute += call.redistribute;
  r.exchange += call.exchange;
  r.reduce += call.reduce;
  report().is_root = report().is_root || communicator.rank().value == 0;
  if (line_per_call()) print(communicator, call);
}

void* passed_on(const std::string& routine, const std::string& symbol) {
  static std::map<std::string, void*> found;
  const auto [entry, first] = found.try_emplace(symbol, nullptr);
  if (first) entry->second = next_symbol(symbol.c_str());
  if (entry->second == nullptr) {
    throw Error(routine, "arguments redblue does not serve and no ScaLAPACK behind it",
                "link ScaLAPACK after redblue");
  }
  ++report().routines[routine].passed_on;
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
