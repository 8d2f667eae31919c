// SPDX-License-Identifier: BSD-3-Clause
// Subsets of a graph, partitions of a schedule, and the bounds that follow from them.
#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "cdag/flow.hpp"
#include "cdag/index.hpp"
#include "program/checked.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

std::vector<bool> marks(const Graph& graph, const Subset& h) {
  std::vector<bool> result(at(graph.size()), false);
  for (const Vertex v : h) result[at(v)] = true;
  return result;
}

}  // namespace

Subset in_set(const Graph& graph, const Subset& h) {
  const std::vector<bool> inside = marks(graph, h);
  std::set<Vertex> result;
  for (const Vertex v : h) {
    for (const Vertex o : graph.operands(v)) {
      if (!inside[at(o)]) result.insert(o);
    }
  }
  return {result.begin(), result.end()};
}

Subset out_set(const Graph& graph, const Subset& h) {
  const std::vector<bool> inside = marks(graph, h);
  Subset result;
  for (const Vertex v : h) {
    const auto readers = graph.readers(v);
    const bool read =
        std::any_of(readers.begin(), readers.end(), [&inside](Vertex r) { return !inside[at(r)]; });
    if (read || graph.output(v)) result.push_back(v);
  }
  return result;
}

Subset minimum_set(const Graph& graph, const Subset& h) {
  const std::vector<bool> inside = marks(graph, h);
  Subset result;
  for (const Vertex v : h) {
    const auto readers = graph.readers(v);
    if (std::none_of(readers.begin(), readers.end(),
                     [&inside](Vertex r) { return inside[at(r)]; })) {
      result.push_back(v);
    }
  }
  return result;
}

Subset dominator_set(const Graph& graph, const Subset& h) {
  // A reader behind every vertex of h makes it a cut between two given sides.
  const std::vector<bool> inside = marks(graph, h);
  Builder builder;
  const auto family = builder.family("v");
  CutProblem problem;
  Subset last;
  for (Vertex v = 0; v < graph.size(); ++v) {
    builder.compute(graph.operands(v), family, {});
    problem.side.push_back(graph.input(v) ? CutProblem::Side::before : CutProblem::Side::free);
    if (inside[at(v)]) last.push_back(v);
  }
  builder.compute(last, family, {});
  problem.side.push_back(CutProblem::Side::behind);
  problem.counts.assign(problem.side.size(), true);
  return minimum_cut(builder.finish(false), problem).vertices;
}

namespace {

// Which part each vertex belongs to; -1 for none. A fault where one is in two or an input.
std::string parts_of(const Graph& graph, const Partition& partition, std::vector<int>& part) {
  part.assign(at(graph.size()), -1);
  for (std::size_t p = 0; p < partition.parts.size(); ++p) {
    for (const Vertex v : partition.parts[p]) {
      if (v < 0 || v >= graph.size()) return "part " + std::to_string(p) + " has no such vertex";
      if (graph.input(v)) return graph.name(v) + " is an input";
      if (part[at(v)] >= 0) return graph.name(v) + " is in two parts";
      part[at(v)] = static_cast<int>(p);
    }
  }
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (part[at(v)] < 0 && !graph.input(v)) return graph.name(v) + " is in no part";
  }
  return "";
}

// A part on a circuit of parts, or -1.
int circuit(const Graph& graph, const Partition& partition, const std::vector<int>& part) {
  std::vector<std::set<int>> next(partition.parts.size());
  std::vector<int> waiting(partition.parts.size(), 0);
  for (Vertex v = 0; v < graph.size(); ++v) {
    for (const Vertex o : graph.operands(v)) {
      const int from = part[at(o)], to = part[at(v)];
      if (from >= 0 && to >= 0 && from != to && next[at(from)].insert(to).second) ++waiting[at(to)];
    }
  }
  std::vector<int> ready;
  for (std::size_t p = 0; p < waiting.size(); ++p) {
    if (waiting[p] == 0) ready.push_back(static_cast<int>(p));
  }
  while (!ready.empty()) {
    const int p = ready.back();
    ready.pop_back();
    waiting[at(p)] = -1;
    for (const int q : next[at(p)]) {
      if (--waiting[at(q)] == 0) ready.push_back(q);
    }
  }
  const auto left = std::find_if(waiting.begin(), waiting.end(), [](int w) { return w > 0; });
  return left == waiting.end() ? -1 : static_cast<int>(left - waiting.begin());
}

}  // namespace

std::string partition_fault(const Graph& graph, const Partition& partition, std::int64_t x,
                            PartitionKind kind) {
  std::vector<int> part;
  const std::string fault = parts_of(graph, partition, part);
  if (!fault.empty()) return fault;
  if (const int p = circuit(graph, partition, part); p >= 0) {
    return "part " + std::to_string(p) + " needs itself through other parts";
  }
  const bool in_out = kind == PartitionKind::in_out;
  for (std::size_t p = 0; p < partition.parts.size(); ++p) {
    const Subset& h = partition.parts[p];
    const auto before = (in_out ? in_set(graph, h) : dominator_set(graph, h)).size();
    const auto behind = (in_out ? out_set(graph, h) : minimum_set(graph, h)).size();
    if (static_cast<std::int64_t>(std::max(before, behind)) <= x) continue;
    return "part " + std::to_string(p) + " has " + std::to_string(before) +
           (in_out ? " values in and " : " dominators and ") + std::to_string(behind) +
           (in_out ? " out" : " in its minimum set") + ", more than " + std::to_string(x);
  }
  return "";
}

Partition SegmentedPebbling::partition() const {
  Partition result;
  for (const Segment& s : segments) {
    if (!s.computed.empty()) result.parts.push_back(s.computed);
  }
  return result;
}

namespace {

// Plays a pebbling of one fast memory and cuts it after every `transfers` loads and stores.
class Cutter {
 public:
  Cutter(const Graph& graph, std::int64_t transfers)
      : graph_(graph),
        transfers_(transfers),
        red_(at(graph.size()), false),
        red_at_start_(red_),
        reused_(red_),
        computed_(red_) {}

  void make(const Move& move) {
    const std::size_t v = at(move.vertex);
    const bool moves =
        move.rule == Rule::load || move.rule == Rule::store || move.rule == Rule::get;
    if (moves && moved_ == transfers_) end_segment();
    moved_ += moves ? 1 : 0;
    if (move.rule == Rule::store) ++segment_.stored;
    if (move.rule == Rule::load) ++segment_.loaded;
    if (move.rule == Rule::compute) {
      for (const Vertex o : graph_.operands(move.vertex)) {
        if (red_at_start_[at(o)] && !reused_[at(o)]) {
          reused_[at(o)] = true;
          ++segment_.reused;
        }
      }
      if (!computed_[v]) segment_.computed.push_back(move.vertex);
      computed_[v] = true;
    }
    if (move.rule != Rule::store) red_[v] = move.rule != Rule::erase;
    if (move.rule == Rule::erase) red_at_start_[v] = false;
  }

  SegmentedPebbling finish() {
    end_segment();
    SegmentedPebbling& r = result_;
    for (std::size_t i = 0; i < r.segments.size(); ++i) {
      const Segment& s = r.segments[i];
      r.most_reused = std::max({r.most_reused, s.reused, s.kept});
      r.moved += s.loaded + s.stored;
      if (i + 1 == r.segments.size()) break;
      const std::int64_t least = std::min(s.loaded, s.stored);
      r.least_moved = i == 0 ? least : std::min(r.least_moved, least);
    }
    r.x = program::sum(transfers_, r.most_reused - r.least_moved);
    return r;
  }

 private:
  void end_segment() {
    for (const Vertex v : segment_.computed) {
      const auto readers = graph_.readers(v);
      const bool read_later = std::any_of(readers.begin(), readers.end(),
                                          [this](Vertex r) { return !computed_[at(r)]; });
      if (red_[at(v)] && read_later) ++segment_.kept;
    }
    std::sort(segment_.computed.begin(), segment_.computed.end());
    result_.segments.push_back(std::move(segment_));
    segment_ = {};
    moved_ = 0;
    red_at_start_ = red_;
    reused_.assign(red_.size(), false);
  }

  const Graph& graph_;
  std::int64_t transfers_;
  std::int64_t moved_ = 0;
  std::vector<bool> red_, red_at_start_, reused_, computed_;
  Segment segment_;
  SegmentedPebbling result_;
};

}  // namespace

SegmentedPebbling segments_of(const Graph& graph, const Pebbling& pebbling,
                              std::int64_t transfers) {
  if (transfers < 1) {
    throw Error("segments of " + std::to_string(transfers) + " transfers", "fewer than one", "");
  }
  if (pebbling.game.levels.size() != 1 || pebbling.game.levels.front().units != 1) {
    throw Error("segments of a pebbling", "more than one fast memory",
                "segments are of games with one");
  }
  if (pebbling.game.kind == Game::Kind::partial) {
    throw Error("segments of a pebbling", "the partial game, whose values are not computed at once",
                "segments are of the other games with one fast memory");
  }
  play(graph, pebbling.game, pebbling.moves);
  Cutter cutter(graph, transfers);
  for (const Move& move : pebbling.moves) cutter.make(move);
  return cutter.finish();
}

namespace {

// The most vertices an H with |In(H)| <= X can have, by X (over all subsets of the computed ones).
std::vector<std::int64_t> largest_by_in_set(const Graph& graph,
                                            const std::vector<Vertex>& computed) {
  const std::size_t n = computed.size();
  std::vector<std::uint64_t> operands(n, 0);
  std::vector<std::uint64_t> self(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    self[i] = std::uint64_t{1} << static_cast<unsigned>(computed[i]);
    for (const Vertex o : graph.operands(computed[i])) {
      operands[i] |= std::uint64_t{1} << static_cast<unsigned>(o);
    }
  }
  std::vector<std::int64_t> largest(at(graph.size()) + 1, 0);
  std::uint64_t read = 0, inside = 0;
  // Every subset once, by including or leaving out one vertex after the other.
  const std::function<void(std::size_t, std::int64_t)> visit = [&](std::size_t i,
                                                                   std::int64_t size) {
    if (i == n) {
      auto& best = largest[static_cast<std::size_t>(std::popcount(read & ~inside))];
      best = std::max(best, size);
      return;
    }
    const std::uint64_t read_before = read, inside_before = inside;
    visit(i + 1, size);
    read |= operands[i];
    inside |= self[i];
    visit(i + 1, size + 1);
    read = read_before;
    inside = inside_before;
  };
  visit(0, 0);
  for (std::size_t x = 1; x < largest.size(); ++x)
    largest[x] = std::max(largest[x], largest[x - 1]);
  return largest;
}

std::int64_t segments_bound(const Graph& graph, std::int64_t s,
                            const std::vector<Vertex>& computed) {
  const std::vector<std::int64_t> largest = largest_by_in_set(graph, computed);
  const auto all = static_cast<std::int64_t>(computed.size());
  std::int64_t best = 0;
  for (std::int64_t x = s + 1; x < static_cast<std::int64_t>(largest.size()); ++x) {
    const std::int64_t chi = largest[static_cast<std::size_t>(x)];
    if (chi > 0) best = std::max(best, (x - s) * ((all + chi - 1) / chi - 1));
  }
  return best;
}

}  // namespace

GraphBound graph_bound(const Graph& graph, std::int64_t s, bool recomputation) {
  s = std::min<std::int64_t>(s, graph.size());  // nobody needs more
  GraphBound best{0, "compulsory", {}};
  std::vector<Vertex> computed;
  for (Vertex v = 0; v < graph.size(); ++v) {
    // An input nobody reads is in slow memory already; only the red-blue-white game loads it.
    if (graph.input(v) && (!recomputation || !graph.readers(v).empty())) ++best.moved;
    if (graph.input(v)) continue;
    if (graph.output(v)) ++best.moved;
    computed.push_back(v);
  }
  if (!recomputation) {
    best.wavefronts = wavefront_bound(graph, s);
    if (best.wavefronts.moved > best.moved) {
      best.moved = best.wavefronts.moved;
      best.method = "wavefronts";
    }
  }
  if (computed.size() <= 20 && graph.size() <= 64) {
    const std::int64_t segments = segments_bound(graph, s, computed);
    if (segments > best.moved) {
      best.moved = segments;
      best.method = "segments";
    }
  }
  return best;
}

}  // namespace redblue::cdag
