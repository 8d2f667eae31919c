// SPDX-License-Identifier: BSD-3-Clause
// What this process keeps of its calls for the page that REDBLUE_REPORT=html asks for. Calls that
// are alike are added up, so that it stays small however long the program runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/phases.hpp"

namespace redblue::scalapack {

struct Served;  // scalapack/serving/report.hpp

// Calls of one routine, sizes and grid that redblue served, added up.
struct ServedCalls {
  int processes = 0;
  std::int64_t times = 0;
  double words = 0;             // received by each call's busiest process
  double bound = 0;             // what some process must receive; 0: nothing is known
  double most_bytes = 0;        // beyond the matrices, of a process in a call
  double seconds = 0;           // of each call's slowest process
  comm::PhaseSeconds phases{};  // of the mean process
};

// Calls that ScaLAPACK served for one reason, added up.
struct PassedCalls {
  std::int64_t times = 0;
  double seconds = 0;
  std::string why;  // of the last one
};

// One call over time, as the first process of its grid saw it.
struct Span {
  std::string routine;
  double begin = 0, end = 0;  // comm::seconds()
  bool served = false;
};

// Of this process alone.
struct OwnTotals {
  std::int64_t served = 0, passed_on = 0;
  double received = 0;  // words, in calls that were served
  double seconds = 0, passed_seconds = 0;
  comm::PhaseSeconds phases{};
  std::map<int, double> sent;  // words to ranks of MPI_COMM_WORLD
};

struct History {
  std::map<std::pair<std::string, std::string>, ServedCalls> served;  // by routine and what
  std::map<std::pair<std::string, std::string>, PassedCalls>
      passed;               // by routine and kind of reason
  std::vector<Span> spans;  // the first ones
  std::int64_t spans_left_out = 0;
  OwnTotals own;
};

inline constexpr std::size_t most_spans = 1000;

History& history();

// Around a call, where a page is asked for; without, they do nothing. begin_measuring() may be
// called again before an end: that call was not served.
void begin_measuring();
void stop_measuring();
// The call was served. Collective over its processes.
void note_served(comm::Communicator& communicator, const Served& call, std::int64_t bytes);

// The call goes to ScaLAPACK; `first`: this process tells of it.
void begin_passing_on(const std::string& routine, const std::string& why, bool first);
void end_passing_on();

}  // namespace redblue::scalapack
