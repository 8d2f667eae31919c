#include "bounds/replay.hpp"

#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <set>

namespace redblue::test {

namespace {

using Point = std::vector<long>;
using Sizes = std::map<std::string, std::int64_t>;

isl::map fixed(const isl::map& map, const Sizes& sizes) {
  isl_map* result = map.copy();
  for (const auto& [name, value] : sizes) {
    const int position = isl_map_find_dim_by_name(result, isl_dim_param, name.c_str());
    if (position < 0) continue;
    result = isl_map_fix_si(result, isl_dim_param, static_cast<unsigned>(position),
                            static_cast<int>(value));
  }
  return isl::manage(isl_map_project_out(
      result, isl_dim_param, 0, static_cast<unsigned>(isl_map_dim(result, isl_dim_param))));
}

Point coordinates(const isl::set& singleton) {
  const isl::point p = singleton.sample_point();
  Point result;
  for (int d = 0; d < static_cast<int>(isl_set_dim(singleton.get(), isl_dim_set)); ++d) {
    const isl::val v = isl::manage(isl_point_get_coordinate_val(p.get(), isl_dim_set, d));
    result.push_back(isl_val_get_num_si(v.get()));
  }
  return result;
}

std::vector<isl::set> points_of(const isl::set& set) {
  std::vector<isl::set> result;
  isl_set_foreach_point(
      set.get(),
      [](isl_point* point, void* user) {
        static_cast<std::vector<isl::set>*>(user)->push_back(
            isl::manage(isl_set_from_point(point)));
        return isl_stat_ok;
      },
      &result);
  return result;
}

using Element = std::pair<std::string, Point>;

struct Instance {
  std::vector<Element> reads;
  Element write;
};

std::map<Point, Instance> instances_of(const program::Program& program, const Sizes& sizes) {
  std::map<Point, Instance> result;
  for (const program::Statement& s : program.statements) {
    const isl::map time = fixed(s.schedule, sizes);
    std::vector<std::pair<std::string, isl::map>> reads;
    for (const program::Access& r : s.reads) reads.emplace_back(r.array, fixed(r.elements, sizes));
    const isl::map write = fixed(s.writes.front().elements, sizes);
    for (const isl::set& x : points_of(time.domain())) {
      Instance instance;
      for (const auto& [array, elements] : reads) {
        const isl::set touched = x.apply(elements);
        if (!touched.is_empty()) instance.reads.emplace_back(array, coordinates(touched));
      }
      instance.write = {s.writes.front().array, coordinates(x.apply(write))};
      result[coordinates(x.apply(time))] = instance;
    }
  }
  return result;
}

}  // namespace

std::size_t Graph::most_operands() const {
  std::size_t most = 0;
  for (const auto& o : operands) most = std::max(most, o.size());
  return most;
}

Graph graph_of(const program::Program& program, const Sizes& sizes) {
  Graph graph;
  std::map<Element, int> latest;
  const auto add = [&graph](std::vector<int> operands, bool input) {
    graph.operands.push_back(std::move(operands));
    graph.input.push_back(input);
    graph.output.push_back(false);
    return static_cast<int>(graph.operands.size()) - 1;
  };
  std::set<Element> written;
  for (const auto& [time, instance] : instances_of(program, sizes)) {
    std::set<int> operands;
    for (const Element& e : instance.reads) {
      const auto known = latest.find(e);
      operands.insert(known != latest.end() ? known->second : (latest[e] = add({}, true)));
    }
    latest[instance.write] = add({operands.begin(), operands.end()}, false);
    written.insert(instance.write);
  }
  for (const Element& e : written) {
    if (!program.arrays.at(e.first).local) graph.output[static_cast<std::size_t>(latest[e])] = true;
  }
  return graph;
}

std::vector<int> program_order(const Graph& graph) {
  std::vector<int> order;
  for (std::size_t v = 0; v < graph.operands.size(); ++v) {
    if (!graph.input[v]) order.push_back(static_cast<int>(v));
  }
  return order;
}

std::vector<int> greedy_order(const Graph& graph, std::size_t window) {
  const std::size_t n = graph.operands.size();
  std::vector<int> waiting(n, 0);
  std::vector<std::vector<int>> readers(n);
  std::set<int> ready;
  for (std::size_t v = 0; v < n; ++v) {
    if (graph.input[v]) continue;
    for (const int o : graph.operands[v]) {
      if (graph.input[static_cast<std::size_t>(o)]) continue;
      ++waiting[v];
      readers[static_cast<std::size_t>(o)].push_back(static_cast<int>(v));
    }
    if (waiting[v] == 0) ready.insert(static_cast<int>(v));
  }
  std::deque<int> recent;
  const auto touch = [&](int value) {
    const auto found = std::find(recent.begin(), recent.end(), value);
    if (found != recent.end()) recent.erase(found);
    recent.push_front(value);
    if (recent.size() > window) recent.pop_back();
  };
  std::vector<int> order;
  while (!ready.empty()) {
    int best = *ready.begin();
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const int v : ready) {
      std::size_t missing = 0;
      for (const int o : graph.operands[static_cast<std::size_t>(v)]) {
        missing += std::find(recent.begin(), recent.end(), o) == recent.end() ? 1 : 0;
      }
      if (missing < least) {
        least = missing;
        best = v;
      }
    }
    ready.erase(best);
    order.push_back(best);
    for (const int o : graph.operands[static_cast<std::size_t>(best)]) touch(o);
    touch(best);
    for (const int r : readers[static_cast<std::size_t>(best)]) {
      if (--waiting[static_cast<std::size_t>(r)] == 0) ready.insert(r);
    }
  }
  return order;
}

std::int64_t replay(const Graph& graph, const std::vector<int>& order, std::size_t s) {
  const std::size_t n = graph.operands.size();
  std::vector<std::deque<std::size_t>> uses(n);
  for (std::size_t t = 0; t < order.size(); ++t) {
    for (const int o : graph.operands[static_cast<std::size_t>(order[t])])
      uses[static_cast<std::size_t>(o)].push_back(t);
  }
  std::vector<bool> stored = graph.input;
  std::set<int> fast;
  std::int64_t moved = 0;
  const auto make_room = [&](const std::vector<int>& keep) {
    while (fast.size() >= s) {
      int victim = -1;
      std::size_t farthest = 0;
      for (const int v : fast) {
        if (std::find(keep.begin(), keep.end(), v) != keep.end()) continue;
        const auto& next = uses[static_cast<std::size_t>(v)];
        const std::size_t when =
            next.empty() ? std::numeric_limits<std::size_t>::max() : next.front();
        if (victim < 0 || when > farthest) {
          victim = v;
          farthest = when;
        }
      }
      const auto index = static_cast<std::size_t>(victim);
      if (!stored[index] && (!uses[index].empty() || graph.output[index])) {
        ++moved;
        stored[index] = true;
      }
      fast.erase(victim);
    }
  };
  for (const int v : order) {
    const std::vector<int>& operands = graph.operands[static_cast<std::size_t>(v)];
    for (const int o : operands) {
      if (fast.count(o) != 0) continue;
      make_room(operands);
      ++moved;
      fast.insert(o);
    }
    make_room(operands);
    fast.insert(v);
    for (const int o : operands) uses[static_cast<std::size_t>(o)].pop_front();
  }
  for (std::size_t v = 0; v < n; ++v) moved += graph.output[v] && !stored[v] ? 1 : 0;
  return moved;
}

}  // namespace redblue::test
