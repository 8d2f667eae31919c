// Executing a stencil plan for `redblue run stencil`: counts, times and the check.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

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
  std::vector<std::vector<T>> fields;  // the whole mesh before the first step, on every rank
  StencilOptions options;
  std::int64_t repeat = 1;
  bool check = true;
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
};

// The part of `whole` that a rank owns, in the order of its blocks.
template <class T>
std::vector<T> owned_part(const StencilProgram& program, const std::vector<StencilBlock>& blocks,
                          const std::vector<T>& whole) {
  std::vector<T> part;
  for (const StencilBlock& b : blocks) {
    MeshIndex i;
    for (i[0] = b.box.begin[0]; i[0] < b.box.end[0]; ++i[0]) {
      for (i[1] = b.box.begin[1]; i[1] < b.box.end[1]; ++i[1]) {
        const std::int64_t row = (i[0] * program.extents[1] + i[1]) * program.extents[2];
        const auto from = whole.begin() + row;
        part.insert(part.end(), from + b.box.begin[2], from + b.box.end[2]);
      }
    }
  }
  return part;
}

// Values that are not bit for bit those of the sequential program, on this rank.
template <class T>
std::int64_t count_wrong(const StencilExecution<T>& e, const StencilPlan<T>& plan,
                         const std::vector<std::vector<T>>& mine) {
  std::vector<std::vector<T>> whole = e.fields;
  stencil::run_sequentially(e.program, e.updates, whole, e.options.steps);
  std::int64_t wrong = 0;
  for (std::size_t f = 0; f < mine.size(); ++f) {
    const std::vector<T> expected = owned_part(e.program, plan.blocks(), whole[f]);
    for (std::size_t x = 0; x < expected.size(); ++x) {
      if (std::memcmp(&mine[f][x], &expected[x], sizeof(T)) != 0) ++wrong;
    }
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
  std::vector<std::vector<T>> mine(e.fields.size());
  for (std::int64_t r = 0; r < e.repeat; ++r) {
    std::vector<T*> pointers;
    for (std::size_t f = 0; f < mine.size(); ++f) {
      mine[f] = owned_part(e.program, plan.blocks(), e.fields[f]);
      pointers.push_back(mine[f].data());
    }
    world.barrier();
    const double start = comm::seconds();
    plan.execute(pointers, e.options.steps);
    o.seconds.push_back(world.maximum(comm::seconds() - start));
    if (e.progress) {
      e.progress({static_cast<double>(r + 1), static_cast<double>(e.repeat), {}, {}});
    }
  }
  count(world, plan, o);
  o.lower_bound = stencil_lower_bound(e.program, o.decomposition, e.options.steps);
  if (e.check) {
    const std::int64_t wrong = count_wrong(e, plan, mine);
    std::vector<double> total = {static_cast<double>(wrong)};
    world.sum(total);
    o.wrong = static_cast<std::int64_t>(total[0]);
  }
  return o;
}

// As JSON or as text. `flops`: of one update, on average over the sweeps; `type` as in --type.
void report_stencil(const std::string& title, const StencilProgram& program,
                    const StencilOutcome& outcome, std::int64_t steps, int ranks, double flops,
                    const std::string& type, bool checked, bool json);

}  // namespace redblue::cli
