// SPDX-License-Identifier: BSD-3-Clause
// What the library did for a program that knows nothing of it: counts per routine, printed where
// the environment variable REDBLUE_REPORT asks for it.
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

// Counts it; with REDBLUE_REPORT=calls also prints a line with the busiest process's words on the
// communicator's first process (collective then).
void record_served(comm::Communicator& communicator, const Served& call);

// ScaLAPACK's own `symbol` for a call of the routine, which counts as passed on. Throws Error where
// no ScaLAPACK is loaded behind this library.
void* passed_on(const std::string& routine, const std::string& symbol);
template <class Function>
Function passed_on(const std::string& routine, const std::string& symbol) {
  return reinterpret_cast<Function>(passed_on(routine, symbol));
}

long served_calls();
long passed_on_calls();

}  // namespace redblue::scalapack
