// SPDX-License-Identifier: BSD-3-Clause
// Plans of one or several summations as steps.
#include <algorithm>
#include <optional>
#include <utility>

#include "decomposition/cost.hpp"
#include "decomposition/einsum/chain/homes.hpp"
#include "decomposition/einsum/chain/joint.hpp"
#include "decomposition/einsum/chain/steps.hpp"
#include "decomposition/einsum/chain/symmetric.hpp"
#include "decomposition/einsum/order.hpp"
#include "decomposition/einsum/rank_costs.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

using einsum::IndexSet;
using einsum::Piece;
using einsum::ProductStep;

constexpr int most_chain_ranks = 1024;

// What each rank holds, about, of tensors that are not in a step.
Words waiting(const EinsumShape& whole, const std::vector<EinsumStep>& steps,
              const EinsumStep& step, int ranks) {
  Words all;
  const auto add = [&](std::size_t number, std::int64_t elements) {
    const bool here =
        std::find(step.operands.begin(), step.operands.end(), number) != step.operands.end();
    if (!here) all += Words((elements + ranks - 1) / ranks);
  };
  for (std::size_t o = 0; o < whole.operands(); ++o) add(o, whole.elements(whole.tensors[o]));
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (&steps[s] != &step)
      add(whole.operands() + s, steps[s].shape.elements(steps[s].shape.result()));
  }
  return all;
}

// Every step with the plan that is best for it alone.
std::vector<EinsumStep> alone(const EinsumPlanRequest& request, std::vector<EinsumStep> steps) {
  for (EinsumStep& step : steps) {
    EinsumPlanRequest one = request;
    one.shape = step.shape;
    one.layouts.clear();
    if (request.memory && steps.size() > 1)
      one.memory = *request.memory - waiting(request.shape, steps, step, request.ranks);
    step.report = plan_einsum(one);
  }
  return steps;
}

void add(einsum::RankCosts& costs, const einsum::Fetched& fetched) {
  for (std::size_t r = 0; r < costs.words.size(); ++r) {
    costs.words[r] += fetched.words[r];
    costs.messages[r] += fetched.messages[r];
    costs.workspace[r] += fetched.buffers[r];
  }
}

std::int64_t words_of(const std::vector<Piece>& pieces) {
  std::int64_t all = 0;
  for (const Piece& p : pieces) all += p.words();
  return all;
}

// Lemma einsum.5: the sum over steps no two of which read the same tensor. A step that reads one
// twice counts it once.
double chain_bound(const EinsumPlanRequest& request, const std::vector<EinsumStep>& steps) {
  std::vector<double> bound;
  for (const EinsumStep& step : steps) {
    EinsumShape shape = step.shape;
    for (std::size_t o = step.operands.size(); o-- > 0;) {
      const auto first = std::find(step.operands.begin(), step.operands.end(), step.operands[o]);
      if (first - step.operands.begin() < static_cast<std::ptrdiff_t>(o))
        shape.tensors.erase(shape.tensors.begin() + static_cast<std::ptrdiff_t>(o));
    }
    bound.push_back(shape.tensors.size() == step.shape.tensors.size()
                        ? step.report.lower_bound
                        : einsum_lower_bound(shape, request.ranks,
                                             step.report.decomposition.busiest_products(),
                                             request.memory));
  }
  const auto conflict = [&steps](std::size_t a, std::size_t b) {
    return std::any_of(steps[a].operands.begin(), steps[a].operands.end(), [&](std::size_t n) {
      return std::find(steps[b].operands.begin(), steps[b].operands.end(), n) !=
             steps[b].operands.end();
    });
  };
  // greedily, the largest first
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < steps.size(); ++s) order.push_back(s);
  std::stable_sort(order.begin(), order.end(),
                   [&bound](std::size_t a, std::size_t b) { return bound[a] > bound[b]; });
  std::vector<std::size_t> taken;
  double sum = 0;
  for (const std::size_t s : order) {
    if (std::any_of(taken.begin(), taken.end(), [&](std::size_t t) { return conflict(s, t); }))
      continue;
    taken.push_back(s);
    sum += bound[s];
  }
  return sum;
}

// What ranks have of tensors in callers' layouts, and what the result, from where it is added up,
// moves into its own.
template <class F>
void add_layouts(const EinsumPlanRequest& request, F pieces_of_result, einsum::RankCosts& all) {
  const EinsumShape& whole = request.shape;
  for (std::size_t t = 0; t < whole.tensors.size(); ++t) {
    const EinsumLayout* layout = einsum::layout_of(request.layouts, t);
    if (layout == nullptr) continue;
    const auto pieces = einsum::layout_pieces(whole.tensors[t], *layout, request.ranks);
    const bool is_result = t == whole.operands();
    einsum::Fetched delivered;
    if (is_result) delivered = einsum::fetched(pieces_of_result(), pieces);
    for (std::size_t r = 0; r < pieces.size(); ++r) {
      all.owned[r] += words_of(pieces[r]) * (is_result ? 2 : 1);  // what is added to the old result
      if (!is_result) continue;
      all.words[r] += delivered.words[r];
      all.messages[r] += delivered.messages[r];
      all.workspace[r] = std::max(all.workspace[r], delivered.buffers[r]);
    }
  }
}

// Adds up what the ranks receive in all steps.
EinsumChainReport counted(const EinsumPlanRequest& request, std::vector<EinsumStep> steps) {
  const EinsumShape& whole = request.shape;
  const auto ranks = static_cast<std::size_t>(request.ranks);
  EinsumChainReport report;
  report.shape = whole;
  einsum::RankCosts all{std::vector<std::int64_t>(ranks), std::vector<std::int64_t>(ranks),
                        std::vector<std::int64_t>(ranks), std::vector<std::int64_t>(ranks)};
  std::vector<std::vector<std::vector<einsum::TensorCell>>> cells;
  double work = 0;
  const auto pieces_of = [&](const einsum::Home& home) {
    if (home.in_layout)
      return einsum::layout_pieces(whole.tensors[home.tensor],
                                   *einsum::layout_of(request.layouts, home.tensor), request.ranks);
    return einsum::cell_pieces(steps[home.step].shape, home.tensor, cells[home.step][home.tensor],
                               request.ranks);
  };
  for (std::size_t s = 0; s < steps.size(); ++s) {
    EinsumStep& step = steps[s];
    const EinsumDecomposition& d = step.report.decomposition;
    cells.push_back(einsum::cells(step.shape, d));
    std::vector<bool> from_elsewhere(step.shape.tensors.size(), false);
    std::vector<std::optional<einsum::Home>> homes;
    for (std::size_t o = 0; o < step.operands.size(); ++o) {
      homes.push_back(einsum::home_of(whole, steps, request.layouts, s, o));
      from_elsewhere[o] = homes.back().has_value();
    }
    auto costs = einsum::rank_costs(step.shape, d, cells.back(), from_elsewhere);
    for (std::size_t o = 0; o < homes.size(); ++o) {
      if (homes[o]) add(costs, einsum::fetched(pieces_of(*homes[o]), step.shape, d, o));
    }
    step.cost = einsum::busiest(costs, step.report.cost.work, request.machine);
    work += step.cost.work;
    for (std::size_t r = 0; r < ranks; ++r) {
      all.words[r] += costs.words[r];
      all.messages[r] += costs.messages[r];
      all.owned[r] += costs.owned[r];
      all.workspace[r] = std::max(all.workspace[r], costs.workspace[r]);
    }
  }
  const std::size_t last = steps.size() - 1;
  add_layouts(
      request,
      [&] {
        return pieces_of({false, last, steps[last].operands.size()});
      },
      all);
  report.lower_bound = chain_bound(request, steps);
  report.cost = einsum::busiest(all, work, request.machine);
  report.steps = std::move(steps);
  report.ratio = ratio_of(report.cost.words, report.lower_bound);
  return report;
}

EinsumChainReport planned(const EinsumPlanRequest& request, std::vector<EinsumStep> steps) {
  steps = alone(request, std::move(steps));
  EinsumChainReport report = counted(request, steps);
  const bool moves_between =
      steps.size() > 1 || !request.layouts.empty() || !request.shape.statements.empty();
  if (moves_between && !request.memory && request.ranks > 1) {
    EinsumChainReport together = counted(request, einsum::chosen_together(request, steps));
    if (better(together.cost, report.cost, request.objective)) report = std::move(together);
  }
  if (auto symmetric = einsum::plan_symmetric(request, report)) {
    report.cost = report.steps.front().cost = symmetric->cost;
    report.lower_bound = std::max(report.lower_bound, symmetric->lower_bound);
    report.ratio = ratio_of(report.cost.words, report.lower_bound);
    report.symmetric = std::move(symmetric);
    return report;
  }
  if (request.memory && report.cost.memory > *request.memory) {
    throw Error("einsum within " + std::to_string(request.memory->value) + " words per rank",
                "too small for " + std::to_string(report.steps.size()) + " steps on " +
                    std::to_string(request.ranks) + " ranks",
                "about " + std::to_string(report.cost.memory.value) + " words would do");
  }
  return report;
}

// Products of two elements that the busiest rank forms.
double operations(const EinsumStep& step) {
  if (step.operands.size() < 3) return step.cost.work;
  std::vector<IndexSet> sets;
  for (std::size_t o = 0; o < step.shape.operands(); ++o)
    sets.push_back(einsum::set_of(step.shape.tensors[o]));
  const EinsumDecomposition& d = step.report.decomposition;
  std::optional<std::vector<std::int64_t>> before;  // most boxes have the same sides
  double products = 0;
  const auto of_box = [&](const EinsumBox& box) {
    std::vector<std::int64_t> whole;
    for (const Range& r : box.ranges) whole.push_back(r.size());
    if (!box.works) return 0.0;
    if (before == whole) return products;
    before = whole;
    const einsum::Sides sides(whole.begin(), whole.end());
    const auto order = einsum::cheapest_order(
        sets, einsum::set_of(step.shape.result()),
        [&sides](IndexSet l, IndexSet r, IndexSet) { return einsum::extent_of(l | r, sides); });
    products = 0;
    for (const ProductStep& s : order) products += einsum::extent_of(s.loops, sides);
    return products;
  };
  double most = 0;
  for (std::size_t r = 0; r < d.boxes.size(); ++r) {
    double all = of_box(d.boxes[r]);
    for (const std::vector<EinsumBox>& more : d.rest) all += of_box(more[r]);
    most = std::max(most, all);
  }
  return most;
}

double operations(const EinsumChainReport& report) {
  double all = 0;
  for (const EinsumStep& s : report.steps) all += operations(s);
  return all;
}

bool same_steps(const std::vector<EinsumStep>& a, const std::vector<EinsumStep>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const EinsumStep& x, const EinsumStep& y) {
                      return x.operands == y.operands && x.shape.text == y.shape.text;
                    });
}

// Letters of tensors in callers' layouts are indices of their own.
EinsumPlanRequest with_layouts(const EinsumPlanRequest& request) {
  einsum::check_layouts(request.shape, request.layouts, request.ranks);
  std::string letters;
  for (std::size_t t = 0; t < request.layouts.size(); ++t) {
    if (request.layouts[t]) letters += request.shape.tensors[t].letters;
  }
  EinsumPlanRequest result = request;
  if (!letters.empty()) result.shape = with_separate_letters(request.shape, letters);
  return result;
}

}  // namespace

EinsumChainReport plan_einsum_chain(const EinsumPlanRequest& asked, EinsumOrder order) {
  const EinsumPlanRequest request = with_layouts(asked);
  const EinsumShape& whole = request.shape;
  const bool moves_between = !request.layouts.empty() || !whole.statements.empty();
  if (moves_between && request.ranks > most_chain_ranks) {
    throw Error("einsum '" + whole.text + "' on " + std::to_string(request.ranks) + " ranks",
                "several summations, or tensors in layouts",
                "use at most " + std::to_string(most_chain_ranks));
  }
  const auto at_once = [&] { return planned(request, einsum::steps_at_once(whole)); };
  const bool one_step = einsum::most_operands(whole) < 3 || request.ranks > most_chain_ranks;
  if (one_step || order == EinsumOrder::once) return at_once();
  const std::vector<EinsumStep> of_products = einsum::steps_by(whole, einsum::products(whole));
  const std::vector<EinsumStep> of_words =
      einsum::steps_by(whole, einsum::expected_words(whole, request.ranks));
  const auto by_products = [&] { return planned(request, of_products); };
  const auto by_words = [&] { return planned(request, of_words); };
  if (order == EinsumOrder::operations) return by_products();
  if (order == EinsumOrder::words) return by_words();
  std::vector<EinsumChainReport> all;
  std::optional<Error> refused;
  const auto offer = [&](const auto& plan) {
    try {
      all.push_back(plan());
    } catch (const Error& e) {
      if (!refused) refused = e;
    }
  };
  offer(at_once);
  offer(by_products);
  if (!same_steps(of_products, of_words)) offer(by_words);
  if (all.empty()) throw *refused;
  double least = operations(all.front());
  for (const EinsumChainReport& r : all) least = std::min(least, operations(r));
  constexpr double enough = 1.1;
  const EinsumChainReport* best = nullptr;
  for (const EinsumChainReport& r : all) {
    if (operations(r) > enough * least) continue;
    if (best == nullptr || better(r.cost, best->cost, request.objective)) best = &r;
  }
  return *best;
}

}  // namespace redblue
