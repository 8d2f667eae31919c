// SPDX-License-Identifier: BSD-3-Clause
// redblue/schedule.hpp from the parts of this folder.
#include <algorithm>
#include <functional>
#include <regex>

#include "cdag/program_graph.hpp"
#include "frontend/read.hpp"
#include "process/ahead.hpp"
#include "program/instances.hpp"
#include "program/isl_errors.hpp"
#include "redblue/error.hpp"
#include "redblue/schedule.hpp"
#include "schedule/search/call_code.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/ordering.hpp"
#include "schedule/search/search.hpp"
#include "schedule/time_maps.hpp"
#include "schedule/traffic/streamed.hpp"
#include "schedule/updates.hpp"

namespace redblue {

using program::Program;
using program::Sizes;

namespace {

struct Task {
  Program program;
  Sizes sizes;
  std::int64_t s = 0;
  double vertices = 0;  // computed ones
  double accesses = 0;
  double most_on_graph = cdag::most_instances;
  bool blas = false;
  bool has_graph() const { return vertices <= most_on_graph; }
};

// Accesses of an order, some 60 million of which are streamed a second: beside a prediction, and
// where there is none; of a program that is replayed only; of a schedule at all.
constexpr double most_beside_prediction = 1e8;
constexpr double most_streamed = 2e9;
// Vertices of a graph beside an order that is for a cache: streams are many times faster.
constexpr double most_beside_streams = 4e6;
constexpr std::int64_t most_replayed = 5'000'000'000;
constexpr std::int64_t most_scheduled = 1'000'000'000'000'000;

// `most`: accesses where there is no graph.
Task task_of(const BoundRequest& request, std::int64_t most) {
  Task task{frontend::read(request), request.sizes};
  const auto s = task.sizes.find("S");
  if (s == task.sizes.end()) {
    throw Error("a schedule of " + task.program.name, "S has no value",
                "give it with --set S=1024");
  }
  task.s = s->second;
  task.sizes.erase(s);
  for (const std::string& p : task.program.parameters) {
    if (task.sizes.count(p) == 0) {
      throw Error("a schedule of " + task.program.name, p + " has no value",
                  "give it with --set " + p + "=100");
    }
  }
  program::check_parameters(task.program, task.sizes);
  const program::InstanceCount instances(task.program);
  task.vertices = instances.at(task.sizes, most).to_double();
  const program::InstanceCount accesses(task.program, program::Counted::accesses);
  task.accesses = accesses.at(task.sizes, most).to_double();
  if (!task.has_graph()) {
    program::require_at_most(task.program, task.sizes, most, program::Counted::accesses);
  }
  return task;
}

MemoryTraffic traffic(const cdag::Graph& graph, const cdag::Order& order, std::int64_t s,
                      cdag::Replacement replacement) {
  const cdag::Replayed replayed = cdag::replay(graph, order, s, replacement);
  return {replayed.loads, replayed.stores};
}

Replays replays(const cdag::Graph& graph, const cdag::Order& order, std::int64_t s) {
  Replays result;
  result.belady = traffic(graph, order, s, cdag::Replacement::belady);
  result.lru = traffic(graph, order, s, cdag::Replacement::lru);
  return result;
}

// "{ S0[i, j] -> [(i)]; S1[i, k, j] -> [(k)] }" as "S0: i; S1: k", or "i" where all agree.
std::string steps(const std::string& loop) {
  static const std::regex part("(\\w+)\\[[^\\]]*\\] -> \\[\\((.*?)\\)\\]");
  std::string all, first;
  bool same = true;
  for (std::sregex_iterator m(loop.begin(), loop.end(), part), end; m != end; ++m) {
    const std::string value = (*m)[2];
    if (all.empty()) first = value;
    same = same && value == first;
    all += (all.empty() ? "" : "; ") + (*m)[1].str() + ": " + value;
  }
  return same ? first : all;
}

std::vector<TiledBand> described(const schedule::Plan& plan) {
  std::vector<TiledBand> result;
  for (std::size_t b = 0; b < plan.tiles.size(); ++b) {
    const schedule::Tiles& tiles = plan.tiles[b];
    if (tiles.sizes.empty()) continue;
    TiledBand band{plan.nest.bands[b].statements, {}};
    for (std::size_t d = 0; d < tiles.sizes.size(); ++d) {
      const auto loop = static_cast<std::size_t>(tiles.order[d]);
      band.loops.push_back({steps(plan.nest.bands[b].loops[loop]), tiles.sizes[d]});
    }
    result.push_back(band);
  }
  return result;
}

TriangleTiling described(const Program& program, const schedule::TriangleBlocks& blocks) {
  TriangleTiling result;
  for (const auto& m : blocks.loops.members) {
    const program::Statement& s = program.statements[m.statement];
    result.pairs.push_back(s.name + ": " + s.iterators[static_cast<std::size_t>(m.i)] + ", " +
                           s.iterators[static_cast<std::size_t>(m.j)]);
  }
  result.pieces = blocks.points;
  result.touched = static_cast<std::int64_t>(blocks.line.size());
  return result;
}

LateTiling described(const schedule::LateTiles& tiles) {
  LateTiling result{tiles.copied.array, tiles.copied.step, tiles.side, {}};
  for (const schedule::StepCopy& copy : tiles.copied.copies) {
    result.copies.push_back(copy.name + " = " + copy.element + " as step " + tiles.copied.step +
                            (copy.before ? " finds it" : " leaves it"));
  }
  return result;
}

// On a cache, without a graph. `replayed` hears of every instance once.
MemoryTraffic streamed(const Task& task, const schedule::Plan& plan,
                       const schedule::Replayed& replayed) {
  double done = 0;
  const auto progress = [&](const WorkDone& at) {
    replayed(at.done * task.vertices / at.total - done);
    done = at.done * task.vertices / at.total;
  };
  const schedule::LoopProgram loops = schedule::sized_order(task.program, plan).at(task.sizes);
  return schedule::streamed_lru(loops, {task.s}, schedule::DeadValues::leave, progress,
                                task.vertices)
      .front();
}

// Plans without bands may run in another order, too: with statements or loops moved.
bool is_own_order(const Program& program, const schedule::Plan& plan) {
  return !plan.triangles && !plan.late && !plan.nest.inner && plan.nest.families.empty() &&
         plan.nest.outer.is_equal(schedule::own_order(program).nest.outer);
}

// The source's order and the plan's, each streamed by a processor of its own, where there is one.
class BothStreamed {
 public:
  BothStreamed(const Task& task, const schedule::Plan& plan) : task_(task), plan_(plan) {}

  void begin() {
    own_.emplace([this](const Ahead::Send& send) { send(streamed(task_, own_order_, none_)); });
    if (same_) return;
    tiled_.emplace([this](const Ahead::Send& send) { send(streamed(task_, plan_, none_)); });
  }

  void into(TiledSchedule& result, const schedule::Replayed& replayed) {
    const auto of = [&](std::optional<Ahead>& ahead, const schedule::Plan& plan) {
      const std::optional<MemoryTraffic> known = ahead ? ahead->take() : std::nullopt;
      if (known) replayed(task_.vertices);
      return known ? *known : streamed(task_, plan, replayed);
    };
    result.own.lru = of(own_, own_order_);
    result.tiled.lru = same_ ? result.own.lru : of(tiled_, plan_);
  }

 private:
  using Ahead = process::Ahead<MemoryTraffic>;
  const schedule::Replayed none_ = [](double) {};
  const Task& task_;
  const schedule::Plan& plan_;
  const schedule::Plan own_order_ = schedule::own_order(task_.program);
  const bool same_ = is_own_order(task_.program, plan_);
  std::optional<Ahead> own_, tiled_;
};

struct Tiled {
  isl::union_map tiles;
  schedule::Rearrangement order;
};

void replay(const Task& task, const schedule::Plan& plan, const std::optional<Tiled>& tiled,
            TiledSchedule& result, const schedule::Replayed& replayed) {
  const cdag::Graph graph = cdag::program_graph(task.program, task.sizes);
  result.vertices = graph.size();
  result.own = replays(graph, cdag::natural_order(graph), task.s);
  replayed(2.0 * graph.size());
  const cdag::Order order = schedule::order_of(graph, task.program, plan, task.sizes);
  result.tiled = replays(graph, order, task.s);
  replayed(2.0 * graph.size());
  if (!tiled) return;
  const auto tile =
      schedule::tiles_of(graph, task.program, order, tiled->tiles, task.sizes, tiled->order);
  const schedule::Explicit moved = schedule::replay_tiles(graph, order, tile);
  result.tiled.tiles = MemoryTraffic{moved.loads, moved.stores};
  result.tiled.tile_words = moved.words;
}

void measure(const Task& task, const schedule::Plan& plan, const std::optional<Tiled>& tiled,
             TiledSchedule& result, const schedule::Replayed& replayed) {
  const bool on_graph = task.has_graph() || plan.triangles;
  BothStreamed both(task, plan);
  if (!on_graph && task.accesses <= most_beside_prediction) both.begin();
  result.predicted = schedule::prediction(task.program, plan, task.sizes, task.s);
  if (on_graph) {
    replay(task, plan, tiled, result, replayed);
    return;
  }
  result.vertices = static_cast<std::int64_t>(task.vertices);
  if (task.accesses <= (result.predicted ? most_beside_prediction : most_streamed))
    both.into(result, replayed);
}

TiledSchedule nothing_yet(const Program& program) {
  TiledSchedule result;
  result.program = program.name;
  if (!program.region.can_be_written()) result.no_code = program.region.why_not_written();
  return result;
}

// Loops of isl.
TiledSchedule with_bands(const Task& task, const schedule::Plan& plan,
                         const schedule::Replayed& replayed) {
  const isl::union_map times = schedule::times(plan.nest, plan.tiles);
  const auto families = schedule::needed(task.program, times, plan.nest.families);
  TiledSchedule result = nothing_yet(task.program);
  result.bands = described(plan);
  result.reordered = schedule::reordered_updates(task.program, times);
  for (const schedule::Family& f : families) {
    if (f.moved()) result.storage.push_back(f.array + " -> " + f.storage);
  }
  if (task.program.region.can_be_written()) {
    const auto calls = task.blas ? schedule::call_code(task.program, plan, families) : std::nullopt;
    result.code = calls ? calls->code : schedule::code(task.program, times, families);
    if (calls) result.calls = calls->calls;
  }
  std::optional<Tiled> tiled;
  if (!result.bands.empty()) tiled = {schedule::tile_coordinates(plan.nest, plan.tiles), {}};
  measure(task, plan, tiled, result, replayed);
  return result;
}

TiledSchedule with_triangles(const Task& task, const schedule::Plan& plan,
                             const schedule::Replayed& replayed) {
  TiledSchedule result = nothing_yet(task.program);
  result.triangles = described(task.program, *plan.triangles);
  if (task.program.region.can_be_written()) {
    result.code = schedule::code(task.program, *plan.triangles);
  }
  const schedule::TriangleTimes blocks = schedule::times(task.program, *plan.triangles, task.sizes);
  measure(task, plan, Tiled{blocks.tiles, blocks.order}, result, replayed);
  return result;
}

TiledSchedule with_late_tiles(const Task& task, const schedule::Plan& plan,
                              const schedule::Replayed& replayed) {
  const schedule::LateTiles& tiles = *plan.late;
  TiledSchedule result = nothing_yet(task.program);
  result.late = described(tiles);
  if (task.program.region.can_be_written()) result.code = schedule::code(tiles);
  const isl::union_map own = schedule::without_copies(tiles.copied, tiles.times);
  measure(task, plan, Tiled{schedule::leading(own, tiles.tile_depth()), {}}, result, replayed);
  return result;
}

// `begins`: called once the request is found to be valid.
TiledSchedule scheduled(const ScheduleRequest& request, const std::function<void()>& begins) {
  Task task = task_of(request.program, most_scheduled);
  task.blas = request.blas;
  begins();
  const bool for_cache = request.replacement == cdag::Replacement::lru;
  task.most_on_graph = std::min(static_cast<double>(request.most_on_graph),
                                for_cache ? most_beside_streams : task.most_on_graph);
  // A graph's values have their order; what is streamed does not.
  if (!task.has_graph()) task.program.commuting = schedule::commuting_updates(task.program);
  // What is streamed is a cache.
  const auto replacement = task.has_graph() ? request.replacement : cdag::Replacement::lru;
  constexpr double usual = 100, usual_for_cache = 15;
  const double effort = 1e6 * request.effort.value_or(
                                  replacement == cdag::Replacement::lru ? usual_for_cache : usual);
  // The search, then both orders: in two ways each, or streamed.
  const double orders = task.has_graph() ? 4 : task.accesses <= most_streamed ? 2 : 0;
  const double total = effort + orders * task.vertices;
  double done = 0;
  const auto replayed = [&](double vertices) {
    done += vertices;
    if (request.progress) request.progress({done, total});
  };
  const schedule::Plan plan =
      schedule::best_plan(task.program, task.sizes, task.s, replacement, effort, replayed);
  if (plan.late) return with_late_tiles(task, plan, replayed);
  return plan.triangles ? with_triangles(task, plan, replayed) : with_bands(task, plan, replayed);
}

// What was asked for, as the subject of an error message.
std::string asked(const BoundRequest& request) {
  return "a schedule of " + (request.einsum.empty() ? request.file : request.einsum);
}

}  // namespace

std::optional<std::int64_t> TiledSchedule::least_moved() const {
  if (tiled.belady) return std::min(own.belady->moved(), tiled.belady->moved());
  if (tiled.lru) return std::min(own.lru->moved(), tiled.lru->moved());
  if (predicted) return predicted->traffic.moved();
  return std::nullopt;
}

namespace {

double value(const BoundReport& report) {
  return report.bounds[report.best].value.value_or(0);
}

Gap gap_of(double lower, TiledSchedule& schedule) {
  Gap gap;
  gap.lower = lower;
  const auto& predicted = schedule.predicted;
  if (predicted && static_cast<double>(predicted->traffic.moved()) < gap.lower) {
    schedule.predicted.reset();
  }
  gap.upper = schedule.least_moved();
  gap.how = schedule.tiled.belady ? "belady" : schedule.tiled.lru ? "lru" : "predicted";
  return gap;
}

}  // namespace

Gap gap_of(const BoundReport& report, TiledSchedule& schedule) {
  return gap_of(value(report), schedule);
}

void check_schedule(const BoundRequest& request) {
  program::with_isl_errors_explained(asked(request), [&] { task_of(request, most_scheduled); });
}

TiledSchedule tiled_schedule(const ScheduleRequest& request) {
  return program::with_isl_errors_explained(asked(request.program),
                                            [&] { return scheduled(request, [] {}); });
}

BoundedSchedule bounded_schedule(const ScheduleRequest& request) {
  // Read by this process: a copy that is ended early must leave no other program behind.
  std::optional<BoundedProgram> program;
  const auto lower = [&] {
    return value(program->at(request.program.sizes, request.program.units));
  };
  using Bound = process::Ahead<double>;
  std::optional<Bound> bound;
  const auto begins = [&] {
    program.emplace(request.program);
    bound.emplace([&](const Bound::Send& send) { send(lower()); });
  };
  TiledSchedule schedule = program::with_isl_errors_explained(
      asked(request.program), [&] { return scheduled(request, begins); });
  const std::optional<double> known = bound->take();
  const Gap gap = gap_of(known ? *known : lower(), schedule);
  return {std::move(schedule), gap};
}

Replays replay_program(const BoundRequest& request, const ProgressCallback& progress) {
  return program::with_isl_errors_explained(asked(request), [&] {
    const Task task = task_of(request, most_replayed);
    if (!task.has_graph()) {
      double done = 0;
      Replays result;
      result.lru = streamed(task, schedule::own_order(task.program), [&](double vertices) {
        done += vertices;
        if (progress) progress({done, task.vertices});
      });
      return result;
    }
    const cdag::Graph graph = cdag::program_graph(task.program, task.sizes, progress);
    return replays(graph, cdag::natural_order(graph), task.s);
  });
}

}  // namespace redblue
