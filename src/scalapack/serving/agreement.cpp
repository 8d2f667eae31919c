// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/serving/agreement.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "scalapack/serving/experience.hpp"
#include "scalapack/serving/history.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/settings.hpp"

namespace redblue::scalapack {

namespace {

// What is known of a kind of calls on a grid; the same on all its processes, but for the time that
// the last call took here, which they have not told each other yet.
struct KindOfCall {
  Experience known{Server::redblue};
  bool timed = false;
  Server server = Server::redblue;  // of the last call, where it was timed
  double seconds = 0;               // that it took per operation
  double agreeing = 0;              // what agreeing on it took before, per operation
};

// What is known of the calls on a grid. Grids are never dropped.
struct KnownOfGrid {
  // What a call may take on each process beyond the matrices; none: no limit is set.
  std::optional<std::int64_t> bytes_allowed;
  std::map<Key, KindOfCall> kinds;
  std::map<Key, std::string> refused;  // keys of calls, and why
};

// The bytes that a call may take on each of the grid's processes beyond its matrices. The share of
// a process is that of the memory free now on its machine, divided by the grid's processes there.
std::optional<std::int64_t> bytes_allowed(comm::Communicator& communicator) {
  const std::optional<MemoryLimit>& limit = settings().memory;
  if (!limit) return std::nullopt;
  const std::optional<std::int64_t> free = free_bytes();
  const int here = communicator.ranks_on_this_machine();
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  if (limit->bytes) bytes = *limit->bytes;
  if (!limit->bytes && free) {
    bytes = static_cast<std::int64_t>(limit->share * static_cast<double>(*free) / here);
  }
  return -communicator.maximum(-bytes);
}

// Collective over the grid when it is first asked for.
KnownOfGrid& known_of(const ProcessGrid& grid) {
  static std::map<const ProcessGrid*, KnownOfGrid> all;
  const auto [entry, first] = all.try_emplace(&grid);
  if (first) entry->second.bytes_allowed = bytes_allowed(*grid.own);
  return entry->second;
}

// The call whose time is being taken.
struct Clock {
  KindOfCall* kind = nullptr;
  Server server = Server::redblue;
  double work = 1;
  double start = 0;
};

Clock& running_clock() {
  static Clock clock;
  return clock;
}

bool is_off(const std::string& routine) {
  const std::vector<std::string>& off = settings().off;
  return std::find(off.begin(), off.end(), without_type(routine)) != off.end();
}

std::string whole(double number) {
  return std::to_string(static_cast<std::int64_t>(number));
}

std::string milliseconds(double seconds) {
  char text[32];
  constexpr double per_second = 1000;
  std::snprintf(text, sizeof text, "%.3g ms", seconds * per_second);
  return text;
}

// Why ScaLAPACK serves the next call of the kind.
std::string comparison(const Experience& known, double work) {
  if (known.tried(Server::scalapack) == 0) return "its time is taken, to compare with redblue's";
  const std::string times = "ScaLAPACK took " + milliseconds(known.best(Server::scalapack) * work) +
                            " for such a call, redblue " +
                            milliseconds(known.best(Server::redblue) * work);
  return known.is_settled() ? times : times + "; its time is taken again";
}

// What the processes tell each other before a call; the largest of each value counts.
enum { refuses, small_and_new, lacks_plan, seconds_taken, least_agreeing, told };

// What a call took per operation. A call that redblue serves also takes the time to agree on it:
// that of the process which came last and waited for nobody.
double seconds_of(Server server, const std::vector<double>& most) {
  return most[seconds_taken] + (server == Server::redblue ? -most[least_agreeing] : 0);
}

}  // namespace

bool& serves_calls() {
  static bool serves = true;
  return serves;
}

void note_reason(const ProcessGrid* grid, std::string reason) {
  const bool first =
      grid == nullptr ? is_first_process() : grid->shape.my_row == 0 && grid->shape.my_column == 0;
  reason_at_hand() = {std::move(reason), first};
}

bool may_serve(const std::string& routine, double work, double gains_from,
               const std::vector<int>& contexts) {
  const double least = least_work(gains_from);
  std::string reason;
  if (is_passing_on()) return false;
  if (!settings().fault.empty()) reason = settings().fault;
  if (!serves_calls()) reason = "redblue_serve(0) was called";
  if (is_off(routine)) reason = "REDBLUE_OFF names it";
  if (!(work >= least)) {
    reason = whole(work) + " operations, fewer than the " + whole(least) +
             " from which redblue serves it (REDBLUE_MIN_WORK)";
  }
  for (const int context : contexts) {
    if (context != contexts.front()) reason = "its matrices are on different grids";
  }
  if (reason.empty()) {
    begin_measuring();
    return true;
  }
  note_reason(nullptr, reason);
  return false;
}

Agreement agree(ProcessGrid& grid, const Request& request, bool planned) {
  KnownOfGrid& grid_known = known_of(grid);
  const auto refused = grid_known.refused.find(request.key);
  if (refused != grid_known.refused.end()) {
    note_reason(&grid, refused->second);
    return {};
  }
  const bool compares = request.compared && !settings().least_work;
  KindOfCall& kind = grid_known.kinds[request.kind];
  Experience& known = kind.known;
  if (compares && !kind.timed && known.is_settled()) {
    known.count();
    note_reason(&grid, comparison(known, request.work));
    return {};
  }
  std::vector<double> most(told);
  most[refuses] = request.fits ? 0 : 1;
  most[small_and_new] = request.worth_planning ? 0 : 1;
  most[lacks_plan] = planned ? 0 : 1;
  most[seconds_taken] = kind.timed ? kind.seconds : 0;
  most[least_agreeing] = -kind.agreeing;
  const double start = comm::seconds();
  grid.own->maximum(most);
  if (kind.timed) known.add(kind.server, seconds_of(kind.server, most));
  kind.timed = false;
  kind.agreeing = (comm::seconds() - start) / request.work;
  if (most[refuses] > 0 || most[small_and_new] > 0) {
    note_reason(&grid, most[refuses] > 0
                           ? "arguments or layouts that redblue does not serve"
                           : "a small call of a new kind: planned when it comes again");
    return {};
  }
  const Server server = compares ? known.next() : Server::redblue;
  const bool is_timed = compares && !known.is_settled();  // else the next call need not agree
  known.count();
  if (is_timed) running_clock() = {&kind, server, request.work, comm::seconds()};
  if (server == Server::scalapack) {
    note_reason(&grid, comparison(known, request.work));
    return {};
  }
  return {true, most[lacks_plan] == 0};
}

void refuse(ProcessGrid& grid, const Request& request, const std::string& reason) {
  known_of(grid).refused[request.key] = reason;
  give_up(grid, reason);
}

void give_up(const ProcessGrid& grid, const std::string& reason) {
  running_clock().kind = nullptr;
  note_reason(&grid, reason);
}

bool reserve(const ProcessGrid& grid, std::int64_t bytes) {
  const std::optional<std::int64_t> allowed = known_of(grid).bytes_allowed;
  if (allowed && bytes > *allowed) return false;
  try {
    workspace_bytes(bytes);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

std::string lack_of_memory(const ProcessGrid& grid, std::int64_t bytes) {
  const std::string needs =
      "a process needs " + std::to_string(grid.own->maximum(bytes)) + " bytes beyond the matrices";
  const std::optional<std::int64_t> allowed = known_of(grid).bytes_allowed;
  if (!allowed) return needs + ", and there is no memory for them";
  return needs + ", REDBLUE_MEMORY allows " + std::to_string(*allowed);
}

std::optional<Words> words_allowed(const ProcessGrid& grid, std::int64_t bytes_per_word) {
  const std::optional<std::int64_t> allowed = known_of(grid).bytes_allowed;
  if (!allowed) return std::nullopt;
  return Words(*allowed / bytes_per_word);
}

void stop_clock() {
  Clock& clock = running_clock();
  if (clock.kind == nullptr) return;
  clock.kind->timed = true;
  clock.kind->server = clock.server;
  clock.kind->seconds = (comm::seconds() - clock.start) / clock.work;
  clock.kind = nullptr;
}

}  // namespace redblue::scalapack
