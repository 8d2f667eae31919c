// SPDX-License-Identifier: BSD-3-Clause
// Who serves a call, redblue or the ScaLAPACK behind it: decided by all processes of its grid
// alike, with the reason for the user's report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redblue/error.hpp"
#include "redblue/units.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

// Everything about a call but its data; calls with equal keys on one grid share a plan.
using Key = std::vector<long>;

// A call as each process of its grid sees it before it is served.
struct Request {
  std::string routine;  // "pdgemm"
  Key key;
  Key kind;                    // of calls that take about as long per operation
  double work = 0;             // operations
  bool fits = true;            // this process stores the matrices as it must
  bool worth_planning = true;  // it is large, or this process has seen its like
  bool compared = true;        // served by whoever is faster; else always by redblue
};

// Whether calls of the routine, of matrices of these contexts, with so many operations, are
// redblue's to serve as far as all processes see it alike: it is not switched off, it is not part
// of a call that was passed on, and the work is enough. Where it is not, the reason is noted.
bool may_serve(const std::string& routine, double work, double gains_from,
               const std::vector<int>& contexts);

// Whether anything is served now: redblue_serve() of redblue/redblue.h.
bool& serves_calls();

// Notes why the call at hand goes to ScaLAPACK; passed_on() (scalapack/serving/report.hpp) prints
// it.
void note_reason(const ProcessGrid* grid, std::string reason);

// What a grid's processes agree on before a call.
struct Agreement {
  bool served = false;
  bool planned = false;  // every process has the call's plan, and room for it
};

// One reduction, in which the time that the last call of the kind took is exchanged, too; none
// where ScaLAPACK is known to be ahead. Starts the clock for this call. Collective over the grid.
Agreement agree(ProcessGrid& grid, const Request& request, bool planned);

// Remembers that the memory does not suffice for calls of this key, and notes the reason.
void refuse(ProcessGrid& grid, const Request& request, const std::string& reason);

// Notes the reason why a call that was agreed on is not served after all.
void give_up(const ProcessGrid& grid, const std::string& reason);

// Whether this process may take so many bytes beyond the matrices and has got them.
bool reserve(const ProcessGrid& grid, std::int64_t bytes);
// Why not: what the neediest process needs. Collective.
std::string lack_of_memory(const ProcessGrid& grid, std::int64_t bytes);

// How many words of so many bytes a call may take on each process; none: no limit is set.
std::optional<Words> words_allowed(const ProcessGrid& grid, std::int64_t bytes_per_word);

// The plans of one kind of Way, which has `key` and `grid`. Newest first. Processes may keep
// different ones, as one may belong to more grids than another.
template <class Way>
class Recent {
 public:
  // The plan of the key; null where it is not there.
  Way* find(const Key& key, const std::shared_ptr<ProcessGrid>& grid) {
    for (auto it = ways_.begin(); it != ways_.end(); ++it) {
      if (it->key != key || it->grid != grid) continue;
      ways_.splice(ways_.begin(), ways_, it);
      return &ways_.front();
    }
    return nullptr;
  }
  // Keeps a plan in place of those of its key.
  Way* keep(Way way) {
    ways_.remove_if([&](const Way& x) { return x.key == way.key && x.grid == way.grid; });
    ways_.push_front(std::move(way));
    if (ways_.size() > kept) ways_.pop_back();
    return &ways_.front();
  }

  // Whether a call with so many multiplications is to be planned: at once when it is large, else
  // when its kind comes again.
  bool worth_planning(const Key& key, double work) {
    constexpr double pays_off_at_once = 268435456;
    return work >= least_work(pays_off_at_once) || seen_before(key);
  }

 private:
  // Remembers the key.
  bool seen_before(const Key& key) {
    const auto found = std::find(seen_.begin(), seen_.end(), key);
    if (found != seen_.end()) {
      seen_.splice(seen_.begin(), seen_, found);
      return true;
    }
    seen_.push_front(key);
    if (seen_.size() > kept) seen_.pop_back();
    return false;
  }

  static constexpr std::size_t kept = 64;
  std::list<Way> ways_;
  std::list<Key> seen_;
};

// The plan by which all processes serve the call, its buffers reserved; null where it is
// ScaLAPACK's. make(): a new plan; may throw Error, on all processes together, where the memory
// does not suffice. bytes(plan): what execution needs. Collective over the grid.
template <class Way, class Make, class Bytes>
Way* agreed_plan(Recent<Way>& recent, const std::shared_ptr<ProcessGrid>& grid,
                 const Request& request, Make make, Bytes bytes) {
  Way* way = recent.find(request.key, grid);
  const Agreement agreement =
      agree(*grid, request, way != nullptr && bytes(*way) <= workspace_held());
  if (!agreement.served) return nullptr;
  if (agreement.planned) return way;
  try {
    // with a limit on memory planning is collective: all plan anew, or none
    if (way == nullptr || words_allowed(*grid, 1)) way = recent.keep(make());
  } catch (const Error& error) {
    refuse(*grid, request, error.what());
    return nullptr;
  }
  if (grid->own->all(reserve(*grid, bytes(*way)))) return way;
  refuse(*grid, request, lack_of_memory(*grid, bytes(*way)));
  return nullptr;
}

// The same for a call that all processes serve without asking who is faster; null where the memory
// does not suffice.
template <class Way, class Make, class Bytes>
Way* uncompared_plan(Recent<Way>& recent, const std::shared_ptr<ProcessGrid>& grid, const Key& key,
                     Make make, Bytes bytes) {
  Way* way = recent.find(key, grid);
  if (way == nullptr) way = recent.keep(make());
  if (grid->own->all(reserve(*grid, bytes(*way)))) return way;
  give_up(*grid, lack_of_memory(*grid, bytes(*way)));
  return nullptr;
}

// Ends the clock of the call at hand. Called once a call is done.
void stop_clock();

}  // namespace redblue::scalapack
