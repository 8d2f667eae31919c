// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/chain/joint.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "decomposition/cost.hpp"
#include "decomposition/einsum/bisection.hpp"
#include "decomposition/einsum/chain/common_grids.hpp"
#include "decomposition/einsum/chain/homes.hpp"
#include "decomposition/einsum/grid.hpp"
#include "decomposition/einsum/rank_costs.hpp"

namespace redblue::einsum {

namespace {

using Words = std::vector<std::int64_t>;  // of every rank
using Pieces = std::vector<std::vector<Piece>>;

struct Candidate {
  EinsumDecomposition decomposition;
  std::vector<std::vector<TensorCell>> cells;
  Words own;  // words received of operands that lie as the cells say, and of the result
};

std::size_t grids_per_step(int ranks) {
  constexpr int few = 64, many = 256;
  return ranks <= few ? 6 : ranks <= many ? 3 : 1;
}

class Search {
 public:
  Search(const EinsumPlanRequest& request, const std::vector<EinsumStep>& steps)
      : request_(request), steps_(steps), candidates_(steps.size()) {
    for (std::size_t s = 0; s < steps.size(); ++s) add_of_step(s);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      for (std::size_t o = 0; o < steps[s].operands.size(); ++o) {
        const auto home = home_of(request.shape, steps, request.layouts, s, o);
        if (home && !home->in_layout) add_where_it_stays(*home, s, o);
      }
    }
    for (std::size_t first = 0; first < steps.size(); ++first) {
      for (std::size_t last = first + 1; last < steps.size(); ++last) add_along_run(first, last);
    }
  }

  std::vector<EinsumDecomposition> best() {
    std::vector<std::size_t> choice = by_dynamic_programming();
    const std::vector<std::size_t> alone(steps_.size(), 0);
    if (worth(alone) < worth(choice)) choice = alone;
    improve(choice);
    std::vector<EinsumDecomposition> result;
    for (std::size_t s = 0; s < steps_.size(); ++s)
      result.push_back(candidates_[s][choice[s]].decomposition);
    return result;
  }

 private:
  EinsumPlanRequest request_of(std::size_t s) const {
    EinsumPlanRequest one = request_;
    one.shape = steps_[s].shape;
    one.layouts.clear();
    return one;
  }

  std::vector<std::size_t> in_order(const EinsumShape& step,
                                    const std::vector<std::size_t>& indices) const {
    return in_order_of_use(request_.shape, steps_, step, indices);
  }

  void add(std::size_t s, EinsumDecomposition d) {
    for (const Candidate& c : candidates_[s]) {
      if (c.decomposition.grid != d.grid || !c.decomposition.rest.empty() || !d.rest.empty())
        continue;
      const auto same = [](const EinsumBox& x, const EinsumBox& y) { return x.ranges == y.ranges; };
      if (std::equal(d.boxes.begin(), d.boxes.end(), c.decomposition.boxes.begin(), same)) return;
    }
    const EinsumShape& shape = steps_[s].shape;
    Candidate c{std::move(d), {}, {}};
    c.cells = cells(shape, c.decomposition);
    std::vector<bool> from_elsewhere(shape.tensors.size(), false);
    for (std::size_t o = 0; o < steps_[s].operands.size(); ++o)
      from_elsewhere[o] = home_of(request_.shape, steps_, request_.layouts, s, o).has_value();
    c.own = rank_costs(shape, c.decomposition, c.cells, from_elsewhere).words;
    candidates_[s].push_back(std::move(c));
  }

  void add_of_step(std::size_t s) {
    const EinsumShape& shape = steps_[s].shape;
    const EinsumDecomposition& chosen = steps_[s].report.decomposition;
    add(s, chosen);
    std::vector<std::size_t> all(shape.indices.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto order = in_order(shape, all);
    const auto add_grid = [&](const std::vector<int>& grid) {
      add(s, grid_decomposition(shape, request_.ranks, grid, {}, order));
    };
    if (chosen.kind == EinsumDecomposition::Kind::grid && chosen.round_index < 0)
      add_grid(chosen.grid);
    const double even = shape.products() / request_.ranks;
    constexpr double evenness = 1.03;  // as of steps alone
    constexpr int few = 32;            // for which it takes little time
    if (request_.ranks <= few) {
      for (auto& d : layered_bisections(shape, request_.ranks, evenness * even))
        add(s, std::move(d));
    }
    const double work = std::max(
        {evenness * even, chosen.busiest_products(), least_grid_work(shape, request_.ranks, even)});
    for (const auto& grid : good_grids(request_of(s), work, grids_per_step(request_.ranks)))
      add_grid(grid);
  }

  // Grids that cut a tensor's indices alone, for the step that has it and the one that reads it.
  void add_where_it_stays(const Home& home, std::size_t s, std::size_t o) {
    const EinsumShape& from = steps_[home.step].shape;
    const EinsumShape& to = steps_[s].shape;
    const EinsumTensor& there = from.tensors[home.tensor];
    const EinsumTensor& here = to.tensors[o];
    const Places from_places = places_of(from, there);
    const Places to_places = places_of(to, here);
    const std::size_t indices = from_places.size();
    std::vector<std::size_t> in_from(indices), in_to(indices);
    std::vector<std::int64_t> extents(indices);
    for (std::size_t t = 0; t < indices; ++t) {
      in_from[from_places[t]] = static_cast<std::size_t>(there.indices[t]);
      in_to[to_places[t]] = static_cast<std::size_t>(here.indices[t]);
    }
    for (std::size_t t = 0; t < indices; ++t) extents[t] = from.indices[in_from[t]].extent;
    struct Pair {
      double words;
      std::vector<int> from, to;
    };
    std::vector<Pair> pairs;
    for_each_grid(extents, request_.ranks, [&](const std::vector<int>& grid) {
      Pair p{0, std::vector<int>(from.indices.size(), 1), std::vector<int>(to.indices.size(), 1)};
      for (std::size_t t = 0; t < indices; ++t) {
        p.from[in_from[t]] = grid[t];
        p.to[in_to[t]] = grid[t];
      }
      p.words = static_cast<double>(grid_cost(from, p.from, {}, {}).words.value) +
                static_cast<double>(grid_cost(to, p.to, {}, {}).words.value);
      pairs.push_back(std::move(p));
    });
    std::sort(pairs.begin(), pairs.end(),
              [](const Pair& a, const Pair& b) { return a.words < b.words; });
    if (pairs.size() > grids_per_step(request_.ranks)) pairs.resize(grids_per_step(request_.ranks));
    // both number the ranks along the tensor's indices in the same order
    const auto from_order = in_order(from, in_from);
    const auto to_order = in_order(to, in_to);
    for (const Pair& p : pairs) {
      add(home.step, grid_decomposition(from, request_.ranks, p.from, {}, from_order));
      add(s, grid_decomposition(to, request_.ranks, p.to, {}, to_order));
    }
  }

  // Grids and bisections that cut nothing but what steps in a row have in common. Of two steps
  // add_where_it_stays has the grids.
  void add_along_run(std::size_t first, std::size_t last) {
    for (auto& of_steps : common_bisections(request_, steps_, first, last)) {
      for (std::size_t s = first; s <= last; ++s) add(s, std::move(of_steps[s - first]));
    }
    if (last == first + 1) return;
    const auto grids = common_grids(request_, steps_, first, last, grids_per_step(request_.ranks));
    for (const auto& of_steps : grids) {
      for (std::size_t s = first; s <= last; ++s) {
        const EinsumShape& shape = steps_[s].shape;
        std::vector<std::size_t> all(shape.indices.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        add(s, grid_decomposition(shape, request_.ranks, of_steps[s - first], {},
                                  in_order(shape, all)));
      }
    }
  }

  // What ranks fetch of an operand, with these candidates of the step that has it (-1: a layout)
  // and of the one that reads it.
  const Words& fetched_words(const Home& home, std::size_t from, std::size_t s, std::size_t o,
                             std::size_t c) {
    const std::array<std::size_t, 4> key = {from, s, o, c};
    const auto known = fetched_.find(key);
    if (known != fetched_.end()) return known->second;
    const Pieces& owned = pieces_of(home, from);
    return fetched_[key] =
               fetched(owned, steps_[s].shape, candidates_[s][c].decomposition, o).words;
  }

  const Pieces& pieces_of(const Home& home, std::size_t from) {
    const std::array<std::size_t, 3> key = {home.in_layout ? steps_.size() : home.step, home.tensor,
                                            from};
    const auto known = pieces_.find(key);
    if (known != pieces_.end()) return known->second;
    if (home.in_layout) {
      return pieces_[key] =
                 layout_pieces(request_.shape.tensors[home.tensor],
                               *layout_of(request_.layouts, home.tensor), request_.ranks);
    }
    return pieces_[key] =
               cell_pieces(steps_[home.step].shape, home.tensor,
                           candidates_[home.step][from].cells[home.tensor], request_.ranks);
  }

  // What goes from the last step into the caller's layout of the result.
  const Words& delivered_words(std::size_t c) {
    const auto known = delivered_.find(c);
    if (known != delivered_.end()) return known->second;
    const Home last{false, steps_.size() - 1, steps_.back().operands.size()};
    const std::size_t result = request_.shape.operands();
    return delivered_[c] =
               fetched(pieces_of(last, c),
                       layout_pieces(request_.shape.tensors[result],
                                     *layout_of(request_.layouts, result), request_.ranks))
                   .words;
  }

  bool delivers() const {
    return layout_of(request_.layouts, request_.shape.operands()) != nullptr;
  }

  static double most(const Words& words) {
    return static_cast<double>(*std::max_element(words.begin(), words.end()));
  }

  std::vector<std::size_t> by_dynamic_programming() {
    std::vector<std::vector<double>> least(steps_.size());
    // of every candidate, those of the steps whose results it reads
    std::vector<std::vector<std::map<std::size_t, std::size_t>>> before(steps_.size());
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      for (std::size_t c = 0; c < candidates_[s].size(); ++c) {
        double sum = most(candidates_[s][c].own);
        before[s].emplace_back();
        for (std::size_t o = 0; o < steps_[s].operands.size(); ++o) {
          const auto home = home_of(request_.shape, steps_, request_.layouts, s, o);
          if (!home) continue;
          if (home->in_layout) {
            sum += most(fetched_words(*home, 0, s, o, c));
            continue;
          }
          if (home->step == s) continue;  // an operand that it reads twice
          const bool is_result = steps_[s].operands[o] >= request_.shape.operands();
          double best = std::numeric_limits<double>::infinity();
          for (std::size_t f = 0; f < candidates_[home->step].size(); ++f) {
            const double both =
                most(fetched_words(*home, f, s, o, c)) + (is_result ? least[home->step][f] : 0);
            if (both >= best) continue;
            best = both;
            if (is_result) before[s][c][home->step] = f;
          }
          sum += best;
        }
        if (s + 1 == steps_.size() && delivers()) sum += most(delivered_words(c));
        least[s].push_back(sum);
      }
    }
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> choice(steps_.size(), none);
    for (std::size_t s = steps_.size(); s-- > 0;) {
      if (choice[s] == none)
        choice[s] = static_cast<std::size_t>(std::min_element(least[s].begin(), least[s].end()) -
                                             least[s].begin());
      for (const auto& [step, f] : before[s][choice[s]]) {
        if (choice[step] == none) choice[step] = f;
      }
    }
    return choice;
  }

  // Of the busiest rank, a little of the mean with it.
  double worth(const std::vector<std::size_t>& choice) {
    Words all(static_cast<std::size_t>(request_.ranks), 0);
    const auto add_words = [&all](const Words& words) {
      for (std::size_t r = 0; r < all.size(); ++r) all[r] += words[r];
    };
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      add_words(candidates_[s][choice[s]].own);
      for (std::size_t o = 0; o < steps_[s].operands.size(); ++o) {
        const auto home = home_of(request_.shape, steps_, request_.layouts, s, o);
        if (home)
          add_words(
              fetched_words(*home, home->in_layout ? 0 : choice[home->step], s, o, choice[s]));
      }
    }
    if (delivers()) add_words(delivered_words(choice.back()));
    double mean = 0;
    for (const std::int64_t w : all) mean += static_cast<double>(w) / request_.ranks;
    return most(all) + 1e-3 * mean;
  }

  void improve(std::vector<std::size_t>& choice) {
    constexpr int sweeps = 3;
    double least = worth(choice);
    bool better_found = true;
    for (int sweep = 0; sweep < sweeps && better_found; ++sweep) {
      better_found = false;
      for (std::size_t s = 0; s < steps_.size(); ++s) {
        for (std::size_t c = 0; c < candidates_[s].size(); ++c) {
          std::vector<std::size_t> other = choice;
          other[s] = c;
          const double words = worth(other);
          if (words >= least) continue;
          least = words;
          choice = other;
          better_found = true;
        }
      }
    }
  }

  const EinsumPlanRequest& request_;
  const std::vector<EinsumStep>& steps_;
  std::vector<std::vector<Candidate>> candidates_;
  std::map<std::array<std::size_t, 4>, Words> fetched_;
  std::map<std::array<std::size_t, 3>, Pieces> pieces_;
  std::map<std::size_t, Words> delivered_;
};

}  // namespace

std::vector<EinsumStep> chosen_together(const EinsumPlanRequest& request,
                                        std::vector<EinsumStep> steps) {
  std::vector<EinsumDecomposition> best = Search(request, steps).best();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    EinsumPlanReport& report = steps[s].report;
    report.decomposition = std::move(best[s]);
    report.cost = cost_of(steps[s].shape, report.decomposition, request.machine);
    report.lower_bound =
        einsum_lower_bound(steps[s].shape, request.ranks, report.decomposition.busiest_products());
    report.ratio = ratio_of(report.cost.words, report.lower_bound);
  }
  return steps;
}

}  // namespace redblue::einsum
