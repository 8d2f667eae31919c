// SPDX-License-Identifier: BSD-3-Clause
// What the library did for a program that knows nothing of it: counts per routine, printed where
// the environment variable REDBLUE_REPORT asks for it, and calls passed on to ScaLAPACK.
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "redblue/traffic.hpp"

namespace redblue::scalapack {

// A call that was served. `bound`: words some process must receive; 0 where nothing is known.
struct Served {
  std::string routine;  // "pdgemm"
  std::string what;     // "3000 x 3000 x 3000 on 2 x 2, C in place"
  double bound = 0;
  Traffic redistribute;
  Traffic exchange;
  Traffic reduce;
};

// Counts it and ends its clock; with REDBLUE_REPORT=calls also prints a line with the busiest
// process's words on the communicator's first process, with REDBLUE_REPORT=html keeps what the page
// says of it (collective with either).
void record_served(comm::Communicator& communicator, const Served& call);

// Why the call at hand is passed on, and whether this process is the one that says so.
struct Reason {
  std::string text;
  bool prints = false;
};
Reason& reason_at_hand();

// Whether ScaLAPACK works on a call that was passed on: calls that come from within it are its own.
bool is_passing_on();

// The time in which ScaLAPACK works on such a call; stops the call's clock at its end.
class PassingOn {
 public:
  PassingOn();
  ~PassingOn();
  PassingOn(const PassingOn&) = delete;
  PassingOn& operator=(const PassingOn&) = delete;
};

// ScaLAPACK's own routine, for one call that is passed on.
template <class Function>
class PassedOn;
template <class Result, class... Arguments>
class PassedOn<Result (*)(Arguments...)> {
 public:
  explicit PassedOn(void* symbol) : function_(reinterpret_cast<Result (*)(Arguments...)>(symbol)) {}
  Result operator()(Arguments... arguments) const {
    const PassingOn now;
    return function_(arguments...);
  }

 private:
  Result (*function_)(Arguments...);
};

// ScaLAPACK's own `symbol` for a call of the routine, which counts as passed on; with
// REDBLUE_REPORT=calls prints why. Throws Error where no ScaLAPACK is loaded behind this library.
void* symbol_behind(const std::string& routine, const std::string& symbol);
template <class Function>
PassedOn<Function> passed_on(const std::string& routine, const std::string& symbol) {
  return PassedOn<Function>(symbol_behind(routine, symbol));
}

long served_calls();
long passed_on_calls();

}  // namespace redblue::scalapack
