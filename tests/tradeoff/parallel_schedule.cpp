// SPDX-License-Identifier: BSD-3-Clause
#include "tradeoff/parallel_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace redblue::test {

using cdag::Graph;
using cdag::Vertex;

namespace {

std::size_t at(Vertex v) {
  return static_cast<std::size_t>(v);
}

// The costs of paths that end at a processor's last task, by synchronisations.
struct Label {
  std::vector<double> computed = {0}, words = {0};

  static void add(std::vector<double>& costs, double more) {
    for (double& cost : costs) {
      if (cost >= 0) cost += more;
    }
  }
  void compute() { add(computed, 1); }
  void move(double count) { add(words, count); }

  void join(const Label& other) {
    for (auto [mine, theirs] : {std::pair{&computed, &other.computed}, {&words, &other.words}}) {
      mine->resize(std::max(mine->size(), theirs->size()), -1);
      for (std::size_t s = 0; s < theirs->size(); ++s)
        (*mine)[s] = std::max((*mine)[s], (*theirs)[s]);
    }
  }
  void synchronise() {
    computed.insert(computed.begin(), -1);
    words.insert(words.begin(), -1);
  }
};

class Run {
 public:
  Run(const Graph& graph, const Owners& owners, int processors)
      : graph_(graph),
        owners_(owners),
        labels_(static_cast<std::size_t>(processors)),
        has_(labels_.size(), std::vector<bool>(at(graph.size()), false)),
        needs_(has_) {
    for (Vertex v = 0; v < graph.size(); ++v) {
      for (std::size_t p = 0; p < has_.size(); ++p) {
        if (graph.input(v)) has_[p][at(v)] = true;
        if (!owns(p, v)) continue;
        for (const Vertex o : graph.operands(v)) needs_[p][at(o)] = needs_[p][at(o)] || !owns(p, o);
      }
    }
  }

  bool owns(std::size_t p, Vertex v) const {
    const std::vector<int>& of = owners_[at(v)];
    return std::find(of.begin(), of.end(), static_cast<int>(p)) != of.end();
  }

  bool ready(std::size_t p, Vertex v) const {
    const auto operands = graph_.operands(v);
    return std::all_of(operands.begin(), operands.end(), [&](Vertex o) { return has_[p][at(o)]; });
  }

  bool done() const {
    for (Vertex v = 0; v < graph_.size(); ++v) {
      for (const int p : owners_[at(v)]) {
        if (!has_[static_cast<std::size_t>(p)][at(v)]) return false;
      }
    }
    return true;
  }

  void compute(std::size_t p, Vertex v) {
    labels_[p].compute();
    has_[p][at(v)] = true;
  }

  // Everything p can compute without others.
  void compute_all(std::size_t p) {
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (owns(p, v) && !has_[p][at(v)] && ready(p, v)) compute(p, v);
    }
  }

  void exchange_all() {
    std::vector<std::pair<std::size_t, Vertex>> received;
    for (Vertex v = 0; v < graph_.size(); ++v) {
      for (std::size_t p = 0; p < has_.size(); ++p) {
        if (has_[p][at(v)] || !needs_[p][at(v)]) continue;
        const auto sender =
            std::find_if(has_.begin(), has_.end(), [&](const auto& has) { return has[at(v)]; });
        if (sender == has_.end()) continue;
        labels_[static_cast<std::size_t>(sender - has_.begin())].move(1);
        received.emplace_back(p, v);
      }
    }
    Label all = labels_.front();
    for (const Label& label : labels_) all.join(label);
    all.synchronise();
    std::fill(labels_.begin(), labels_.end(), all);
    for (const auto& [p, v] : received) {
      labels_[p].move(1);
      has_[p][at(v)] = true;
    }
  }

  void receive(std::size_t p, Vertex wanted, double eagerness, std::mt19937& random) {
    std::size_t from = 0;
    while (!has_[from][at(wanted)]) ++from;
    std::bernoulli_distribution also(eagerness);
    std::vector<Vertex> sent = {wanted};
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (v != wanted && needs_[p][at(v)] && !has_[p][at(v)] && has_[from][at(v)] && also(random))
        sent.push_back(v);
    }
    const auto words = static_cast<double>(sent.size());
    labels_[from].move(words);
    labels_[p].join(labels_[from]);
    labels_[p].synchronise();
    labels_[from] = labels_[p];
    labels_[p].move(words);
    for (const Vertex v : sent) has_[p][at(v)] = true;
  }

  void compute_with_others(Vertex v, double eagerness, std::mt19937& random) {
    for (const int owner : owners_[at(v)]) {
      const auto p = static_cast<std::size_t>(owner);
      for (const Vertex o : graph_.operands(v)) {
        if (!has_[p][at(o)]) receive(p, o, eagerness, random);
      }
      compute(p, v);
    }
  }

  PathCosts costs() const {
    Label all = labels_.front();
    for (const Label& label : labels_) all.join(label);
    return {all.computed, all.words};
  }

 private:
  const Graph& graph_;
  const Owners& owners_;
  std::vector<Label> labels_;
  std::vector<std::vector<bool>> has_, needs_;
};

}  // namespace

double PathCosts::product(const std::vector<double>& costs, int plus, int power) {
  double best = 0;
  for (std::size_t s = 0; s < costs.size(); ++s) {
    if (costs[s] >= 0)
      best = std::max(best, costs[s] * std::pow(static_cast<double>(s) + plus, power));
  }
  return best;
}

PathCosts superstep_schedule(const Graph& graph, const Owners& owners, int processors) {
  Run run(graph, owners, processors);
  while (true) {
    for (int p = 0; p < processors; ++p) run.compute_all(static_cast<std::size_t>(p));
    if (run.done()) return run.costs();
    run.exchange_all();
  }
}

PathCosts pairwise_schedule(const Graph& graph, const Owners& owners, int processors,
                            std::mt19937& random) {
  Run run(graph, owners, processors);
  std::vector<int> waits_for(at(graph.size()), 0);
  std::vector<Vertex> open;
  for (Vertex v = 0; v < graph.size(); ++v) {
    waits_for[at(v)] = static_cast<int>(graph.operands(v).size());
    if (waits_for[at(v)] == 0) open.push_back(v);
  }
  const double eagerness = std::uniform_real_distribution<>(0, 1)(random);
  while (!open.empty()) {
    const std::size_t next = std::uniform_int_distribution<std::size_t>(0, open.size() - 1)(random);
    const Vertex v = open[next];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(next));
    if (!graph.input(v)) run.compute_with_others(v, eagerness, random);
    for (const Vertex r : graph.readers(v)) {
      if (--waits_for[at(r)] == 0) open.push_back(r);
    }
  }
  return run.costs();
}

}  // namespace redblue::test
