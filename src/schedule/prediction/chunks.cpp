// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/chunks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <random>

#include "schedule/prediction/node_instances.hpp"

namespace redblue::schedule {

namespace {

constexpr std::int64_t most_chunks = 30'000'000;
constexpr std::size_t most_places = 400'000;
constexpr std::int64_t most_looked_at = 100'000'000;  // nodes, to count instances: a second or two

// Touches of a run of each node, the most of those with the loops around it at a quarter and at
// three quarters: where one of them has just met another, loops inside may be empty.
class Sizes {
 public:
  explicit Sizes(const LoopProgram& program)
      : of(program.nodes.size(), 0),
        program_(program),
        bounds_(loops_that_bound(program)),
        counters_(std::max<std::size_t>(program.counters, 1), 0) {
    size(program.root);
  }
  std::vector<double> of;

 private:
  double size(std::size_t which) {
    const LoopNode& n = program_.nodes[which];
    double result = 0;
    if (n.kind == LoopNode::Kind::statement) {
      result = static_cast<double>(n.touches.size());
    } else if (n.kind == LoopNode::Kind::loop) {
      const std::int64_t first = n.lower.at(counters_.data()), last = n.upper.at(counters_.data());
      const std::int64_t steps = std::max<std::int64_t>(0, last - first) / n.step;
      const auto at = [&](std::int64_t step) {
        counters_[n.counter] = first + step * n.step;
        return size(n.children[0]);
      };
      const double early = at(steps / 4);
      const double late = steps < 2 || !bounds_[which] ? early : at(steps - steps / 4);
      result = static_cast<double>(steps + 1) * (early + late) / 2;
    } else {
      for (const std::size_t child : n.children) result += size(child);
    }
    of[which] = std::max(of[which], result);
    return result;
  }

  const LoopProgram& program_;
  std::vector<bool> bounds_;
  std::vector<std::int64_t> counters_;
};

// Whether a loop counts tiles: its counter appears several times over in bounds of loops inside.
bool bounds_multiply(const LoopProgram& program, std::size_t which, std::size_t counter) {
  const LoopNode& n = program.nodes[which];
  const auto multiplies = [counter](const Formula& f) { return f.largest_factor_of(counter) > 1; };
  if (n.kind == LoopNode::Kind::loop && (multiplies(n.lower) || multiplies(n.upper))) return true;
  return std::any_of(n.children.begin(), n.children.end(),
                     [&](std::size_t child) { return bounds_multiply(program, child, counter); });
}

std::vector<bool> tile_loops(const LoopProgram& program) {
  std::vector<bool> result(program.nodes.size(), false);
  for (std::size_t which = 0; which < program.nodes.size(); ++which) {
    const LoopNode& n = program.nodes[which];
    result[which] = n.kind == LoopNode::Kind::loop &&
                    (n.step > 1 || bounds_multiply(program, n.children[0], n.counter));
  }
  return result;
}

// Whether loops inside of a node take as many steps with the counters `a` as with `b`, at the first
// steps of those around them.
bool takes_as_many(const LoopProgram& program, std::size_t which, std::vector<std::int64_t>& a,
                   std::vector<std::int64_t>& b) {
  const LoopNode& n = program.nodes[which];
  const auto same = [&](const Formula& f) { return f.at(a.data()) == f.at(b.data()); };
  if (n.kind == LoopNode::Kind::branch && !same(n.condition)) return false;
  if (n.kind == LoopNode::Kind::loop) {
    a[n.counter] = n.lower.at(a.data());
    b[n.counter] = n.lower.at(b.data());
    if (n.upper.at(a.data()) - a[n.counter] != n.upper.at(b.data()) - b[n.counter]) return false;
  }
  return std::all_of(n.children.begin(), n.children.end(),
                     [&](std::size_t child) { return takes_as_many(program, child, a, b); });
}

class Cutter {
 public:
  // `soon`: by node how many chunks after outer loops advanced memory may hold what was before.
  // `counts`: whether to count instances.
  Cutter(const LoopProgram& program, std::vector<bool> is_chunk, std::vector<std::int64_t> soon,
         std::size_t drawn, bool counts)
      : program_(program),
        instances_(program),
        counts_(counts),
        drawn_(drawn),
        counters_(std::max<std::size_t>(program.counters, 1), 0),
        over_tiles_(tile_loops(program)),
        ends_with_less_(program.nodes.size()),
        last_(program.nodes.size()),
        soon_(std::move(soon)) {
    result_.is_chunk = std::move(is_chunk);
  }

  // Nothing where counting takes too long.
  std::optional<Chunks> cut() {
    node(program_.root);
    if (counts_too_long()) return std::nullopt;
    if (result_.count > most_chunks) return Chunks{};
    result_.counted = counts_;
    for (std::size_t which = 0; which < last_.size(); ++which) end_run(which);
    for (std::size_t p = 0; p < result_.places.size() && !counts_; ++p)
      result_.work[p] = static_cast<std::int64_t>(p) * result_.spacing;
    for (auto& [kind, of] : result_.kinds) std::shuffle(of.drawn.begin(), of.drawn.end(), random_);
    return std::move(result_);
  }

 private:
  struct Around {  // a loop of several iterations
    std::int64_t iteration = 0;
    bool last = false, ends_with_less = false;
  };

  // Of a node its last chunk, and the run that it is of.
  struct Last {
    std::int64_t chunk = 0, instances = 0;
    ChunkRun run = {};
    ChunkKind kind = {};
    std::int64_t of_run = 0;  // instances
  };

  bool counts_too_long() const { return counts_ && instances_.looked_at() >= most_looked_at; }

  void node(std::size_t which) {
    if (result_.count > most_chunks || counts_too_long()) return;
    if (result_.is_chunk[which]) return chunk(which);
    const LoopNode& n = program_.nodes[which];
    if (n.kind == LoopNode::Kind::loop) return loop(which);
    if (n.kind == LoopNode::Kind::branch) {
      const bool taken = n.condition.at(counters_.data()) != 0;
      if (taken || n.children.size() > 1) node(n.children[taken ? 0 : 1]);
      return;
    }
    for (const std::size_t child : n.children) node(child);
  }

  void loop(std::size_t which) {
    const LoopNode& n = program_.nodes[which];
    const std::int64_t first = n.lower.at(counters_.data()), last = n.upper.at(counters_.data());
    const bool several = first + n.step <= last;
    if (several) around_.push_back({0, false, ends_with_less(which, first, last)});
    for (std::int64_t at = first; at <= last; at += n.step) {
      counters_[n.counter] = at;
      if (several) around_.back().last = at + n.step > last;
      node(n.children[0]);
      if (several) ++around_.back().iteration;
    }
    if (several) around_.pop_back();
  }

  // Of a loop over tiles, whether its last one is smaller than its first, where it first runs.
  bool ends_with_less(std::size_t which, std::int64_t first, std::int64_t last) {
    if (!over_tiles_[which]) return false;
    std::optional<bool>& known = ends_with_less_[which];
    if (known) return *known;
    const LoopNode& n = program_.nodes[which];
    std::vector<std::int64_t> a = counters_, b = counters_;
    a[n.counter] = first;
    b[n.counter] = last - (last - first) % n.step;
    return *(known = !takes_as_many(program_, n.children[0], a, b));
  }

  void chunk(std::size_t which) {
    if (result_.count % result_.spacing == 0) {
      if (result_.places.size() == most_places) thin_out();
      if (result_.count % result_.spacing == 0) {
        result_.places.push_back({which, counters_});
        result_.work.push_back(work_);
      }
    }
    const std::int64_t here = counts_ ? instances_.of(which, counters_) : 0;
    Last& last = last_[which];
    if (!goes_on(which, here != last.instances)) {
      const ChunkKind kind = next_kind(which, here);
      end_run(which);
      last.run = {result_.count, result_.count};
      last.kind = kind;
      last.of_run = 0;
    }
    last.chunk = result_.count;
    last.instances = here;
    last.run.until = ++result_.count;
    last.of_run += here;
    work_ += here;
  }

  // The node's last chunk, with few chunks of other nodes between.
  bool follows(std::size_t which) const {
    constexpr std::int64_t few = 8;
    return !around_.empty() && around_.back().iteration > 0 &&
           result_.count - last_[which].chunk <= few;
  }

  // A run after outer loops advanced, or one of chunks that grow.
  bool goes_on(std::size_t which, bool grows) const {
    constexpr std::int64_t most = 8;
    const Last& last = last_[which];
    if (!follows(which) || around_.back().last) return false;
    return around_.back().iteration < soon_[which] ||
           (grows && last.kind.grows != Growth::none &&
            result_.count - last.run.first < most * soon_[which]);
  }

  // Of a run whose first chunk has so many instances.
  ChunkKind next_kind(std::size_t which, std::int64_t instances) const {
    const Last& last = last_[which];
    ChunkKind result = kind_of(which);
    if (result.fresh == 0 && instances != last.instances) {
      result.grows =
          follows(which) && last.kind.grows != Growth::none ? Growth::goes_on : Growth::begins;
    }
    return result;
  }

  void end_run(std::size_t which) {
    Last& last = last_[which];
    if (last.run.until == 0) return;
    last.kind.size = std::bit_width(static_cast<std::uint64_t>(last.of_run));
    Chunks::Kind& kind = result_.kinds[last.kind];
    if (kind.drawn.size() < drawn_) {
      kind.drawn.push_back(last.run);
    } else if (const auto k = random_() % static_cast<std::uint64_t>(kind.count + 1); k < drawn_) {
      kind.drawn[k] = last.run;
    }
    ++kind.count;
    kind.instances += last.of_run;
  }

  ChunkKind kind_of(std::size_t which) const {
    ChunkKind kind{.node = which, .last = !around_.empty() && around_.back().last};
    while (kind.fresh < around_.size() && around_[around_.size() - 1 - kind.fresh].iteration == 0)
      ++kind.fresh;
    for (std::size_t l = 0; l < around_.size(); ++l) {
      if (around_[l].ends_with_less && around_[l].last) kind.edges |= std::uint64_t{1} << l;
    }
    return kind;
  }

  void thin_out() {
    for (std::size_t p = 0; 2 * p < result_.places.size(); ++p) {
      result_.places[p] = result_.places[2 * p];
      result_.work[p] = result_.work[2 * p];
    }
    result_.places.resize((result_.places.size() + 1) / 2);
    result_.work.resize(result_.places.size());
    result_.spacing *= 2;
  }

  const LoopProgram& program_;
  NodeInstances instances_;
  bool counts_;
  std::size_t drawn_;
  std::vector<std::int64_t> counters_;
  std::vector<bool> over_tiles_;                     // by node
  std::vector<std::optional<bool>> ends_with_less_;  // by node
  std::vector<Last> last_;                           // by node
  std::vector<std::int64_t> soon_;                   // by node
  std::vector<Around> around_;                       // outermost first
  std::int64_t work_ = 0;                            // instances so far
  std::mt19937_64 random_{1};                        // the same draw for the same program
  Chunks result_;
};

bool innermost(const LoopProgram& program, std::size_t which) {
  const LoopNode& n = program.nodes[which];
  return n.kind == LoopNode::Kind::statement ||
         (n.kind == LoopNode::Kind::loop &&
          program.nodes[n.children[0]].kind == LoopNode::Kind::statement);
}

void mark(const LoopProgram& program, const Sizes& sizes, double most_touches, std::size_t which,
          std::vector<bool>& is_chunk) {
  if (sizes.of[which] <= most_touches || innermost(program, which)) {
    is_chunk[which] = true;
    return;
  }
  for (const std::size_t child : program.nodes[which].children)
    mark(program, sizes, most_touches, child, is_chunk);
}

// By node how many chunks have together half as many touches as one has at most; at least eight.
std::vector<std::int64_t> chunks_soon(const Sizes& sizes, double most_touches) {
  constexpr double least = 8;
  std::vector<std::int64_t> result;
  for (const double touches : sizes.of)
    result.push_back(
        std::llround(std::max(least, std::ceil(most_touches / 2 / std::max(1.0, touches)))));
  return result;
}

}  // namespace

std::size_t Chunks::place_before(std::int64_t chunk, std::int64_t least) const {
  const auto at = work.begin() + chunk / spacing;
  const auto after = std::upper_bound(work.begin(), at, *at - least);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - work.begin()) - 1);
}

Chunks chunks(const LoopProgram& program, double most_touches, std::size_t drawn) {
  std::vector<bool> is_chunk(program.nodes.size(), false);
  const Sizes sizes(program);
  mark(program, sizes, most_touches, program.root, is_chunk);
  const std::vector<std::int64_t> soon = chunks_soon(sizes, most_touches);
  for (const bool counts : {true, false}) {
    if (std::optional<Chunks> result = Cutter(program, is_chunk, soon, drawn, counts).cut())
      return std::move(*result);
  }
  return {};
}

}  // namespace redblue::schedule
