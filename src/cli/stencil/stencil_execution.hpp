// SPDX-License-Identifier: BSD-3-Clause
// Executing a stencil plan for `redblue run stencil`: counts, times and the check.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "cli/linalg/run_page.hpp"
#include "cli/linalg/run_record.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "comm/communicator.hpp"
#include "redblue/stencil.hpp"
#include "redblue/stencil_bound.hpp"
#include "stencil/sequential.hpp"

namespace redblue::cli {

template <class T>
struct StencilExecution {
  std::string title;
  StencilProgram program;
  std::vector<StencilUpdate<T>> updates;
  // The value before the first step at the point with this row-major number.
  std::function<T(int field, std::int64_t point)> first_value;
  StencilOptions options;
  std::int64_t repeat = 1;
  bool check = true;
  RecordFiles record;
  ProgressCallback progress;  // told after each execution
};

struct StencilOutcome {
  StencilDecomposition decomposition;
  StencilCost predicted;
  std::int64_t received = 0, sent = 0, messages = 0;  // of one execution, worst rank
  std::int64_t synchronisations = 0, updates = 0, memory = 0;
  double mean_received = 0;     // of all ranks
  std::vector<double> seconds;  // per execution, slowest rank
  std::int64_t wrong = 0;       // values that differ from the sequential program's
  double lower_bound = 0;       // words some rank receives at least
  ExecutionTime fastest;
  double peak = 0;                                // FLOPs per second, where a page is to be made
  std::optional<task_graph::Execution> recorded;  // on rank 0 then
};

// Where the executions are recorded, and how fast the ranks could be. Collective.
template <class T>
void keep(comm::Communicator& world, const RecordFiles& files, RunRecord& record,
          const std::string& what, StencilOutcome& o) {
  o.fastest = record.fastest();
  o.recorded = record.write(what);
  if (!files.page.empty()) o.peak = peak_rate<T>(world);
}

// Calls f(point) with the row-major number of every point that a rank owns, as it is stored.
template <class F>
void for_each_point(const StencilProgram& program, const std::vector<StencilBlock>& blocks, F f) {
  for (const StencilBlock& b : blocks) {
    MeshIndex i;
    for (i[0] = b.box.begin[0]; i[0] < b.box.end[0]; ++i[0]) {
      for (i[1] = b.box.begin[1]; i[1] < b.box.end[1]; ++i[1]) {
        const std::int64_t row = (i[0] * program.extents[1] + i[1]) * program.extents[2];
        for (i[2] = b.box.begin[2]; i[2] < b.box.end[2]; ++i[2]) f(row + i[2]);
      }
    }
  }
}

// Throws Error where the sequential program would not fit into the memory of a machine that runs
// all the ranks.
void refuse_unchecked(const StencilProgram& program, std::int64_t word_bytes, int ranks);

// Values that are not bit for bit those of the sequential program, on this rank.
template <class T>
std::int64_t count_wrong(const StencilExecution<T>& e, const StencilPlan<T>& plan,
                         const std::vector<std::vector<T>>& mine) {
  const std::int64_t points = e.program.extents[0] * e.program.extents[1] * e.program.extents[2];
  std::vector<std::vector<T>> whole(mine.size());
  for (std::size_t f = 0; f < whole.size(); ++f) {
    for (std::int64_t x = 0; x < points; ++x) {
      whole[f].push_back(e.first_value(static_cast<int>(f), x));
    }
  }
  stencil::run_sequentially(e.program, e.updates, whole, e.options.steps);
  std::int64_t wrong = 0;
  for (std::size_t f = 0; f < mine.size(); ++f) {
    const T* next = mine[f].data();
    for_each_point(e.program, plan.blocks(), [&](std::int64_t x) {
      const T& expected = whole[f][static_cast<std::size_t>(x)];
      if (std::memcmp(next++, &expected, sizeof(T)) != 0) ++wrong;
    });
  }
  return wrong;
}

// What the last execution moved and computed. Collective.
template <class T>
void count(comm::Communicator& world, const StencilPlan<T>& plan, StencilOutcome& o) {
  o.decomposition = plan.decomposition();
  o.predicted = plan.predicted();
  const StencilTraffic& t = plan.traffic();
  o.received = world.maximum(t.exchange.words_received.value);
  o.mean_received = mean(world, t.exchange.words_received.value);
  o.sent = world.maximum(t.exchange.words_sent.value);
  o.messages = world.maximum(t.exchange.messages_received.value);
  o.synchronisations = world.maximum(t.synchronisations);
  o.updates = world.maximum(t.updates);
  o.memory = world.maximum(plan.memory().value);
}

// Collective.
template <class T>
StencilOutcome execute(const StencilExecution<T>& e) {
  comm::Communicator world(MPI_COMM_WORLD);
  StencilPlan<T> plan(MPI_COMM_WORLD, e.program, e.updates, e.options);
  StencilOutcome o;
  RunRecord record(world, e.record);
  if (e.check) refuse_unchecked(e.program, sizeof(T), world.size());
  std::vector<std::vector<T>> mine(static_cast<std::size_t>(e.program.fields));
  for (std::int64_t r = 0; r < e.repeat; ++r) {
    std::vector<T*> pointers;
    for (std::size_t f = 0; f < mine.size(); ++f) {
      mine[f].clear();
      for_each_point(e.program, plan.blocks(), [&](std::int64_t x) {
        mine[f].push_back(e.first_value(static_cast<int>(f), x));
      });
      pointers.push_back(mine[f].data());
    }
    o.seconds.push_back(record.seconds_of([&] { plan.execute(pointers, e.options.steps); }));
    if (e.progress) {
      e.progress({static_cast<double>(r + 1), static_cast<double>(e.repeat), {}, {}});
    }
  }
  count(world, plan, o);
  keep<T>(world, e.record, record, e.title, o);
  o.lower_bound = stencil_lower_bound(e.program, o.decomposition, e.options.steps);
  if (e.check) {
    const std::int64_t wrong = count_wrong(e, plan, mine);
    std::vector<double> total = {static_cast<double>(wrong)};
    world.sum(total);
    o.wrong = static_cast<std::int64_t>(total[0]);
  }
  return o;
}

// --report. `flops`: of the sequential program. Collective.
void write_stencil_page(const RecordFiles& files, const std::string& title, const StencilOutcome& o,
                        const Machine& machine, double flops, std::int64_t word_bytes,
                        bool checked);

// As JSON or as text. `flops`: of one update, on average over the sweeps; `type` as in --type.
void report_stencil(const std::string& title, const StencilProgram& program,
                    const StencilOutcome& outcome, std::int64_t steps, int ranks, double flops,
                    const std::string& type, bool checked, bool json);

}  // namespace redblue::cli
