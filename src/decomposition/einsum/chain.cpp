// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/chain.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "decomposition/cost.hpp"
#include "decomposition/einsum/order.hpp"
#include "decomposition/einsum/rank_costs.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

using einsum::IndexSet;
using einsum::Piece;
using einsum::Places;
using einsum::ProductStep;

constexpr int most_chain_ranks = 1024;

// A tensor between two steps: its letters, index by index.
EinsumTensor between(const EinsumShape& whole, IndexSet set) {
  EinsumTensor tensor;
  for (std::size_t t = 0; t < whole.indices.size(); ++t) {
    if ((set >> t & 1U) == 0) continue;
    tensor.letters += whole.indices[t].letters;
    tensor.extents.insert(tensor.extents.end(), whole.indices[t].extents.begin(),
                          whole.indices[t].extents.end());
    tensor.indices.push_back(static_cast<int>(t));
  }
  return tensor;
}

// A summation of tensors whose indices are the whole's: those that all of them have last.
EinsumShape shape_of(const EinsumShape& whole, std::vector<EinsumTensor> tensors) {
  IndexSet any = 0;
  IndexSet every = ~IndexSet{0};
  for (const EinsumTensor& t : tensors) {
    any |= einsum::set_of(t);
    every &= einsum::set_of(t);
  }
  EinsumShape shape;
  std::vector<int> number(whole.indices.size(), -1);
  for (const bool batch : {false, true}) {
    for (std::size_t t = 0; t < whole.indices.size(); ++t) {
      if ((any >> t & 1U) == 0 || ((every >> t & 1U) != 0) != batch) continue;
      number[t] = static_cast<int>(shape.indices.size());
      shape.indices.push_back(whole.indices[t]);
    }
  }
  for (std::size_t a = 0; a < tensors.size(); ++a) {
    for (int& index : tensors[a].indices) index = number[static_cast<std::size_t>(index)];
    std::sort(tensors[a].indices.begin(), tensors[a].indices.end());
    shape.text += (a == 0 ? "" : a + 1 == tensors.size() ? "->" : ",") + tensors[a].letters;
  }
  shape.tensors = std::move(tensors);
  return shape;
}

std::vector<EinsumStep> steps_of(const EinsumShape& whole, const std::vector<ProductStep>& order) {
  std::vector<EinsumTensor> there(whole.tensors.begin(), whole.tensors.end() - 1);
  std::vector<EinsumStep> steps;
  for (const ProductStep& s : order) {
    const bool is_last = &s == &order.back();
    there.push_back(is_last ? whole.result() : between(whole, s.result));
    EinsumStep step;
    step.shape = shape_of(whole, {there[s.left], there[s.right], there.back()});
    step.operands = {s.left, s.right};
    steps.push_back(std::move(step));
  }
  return steps;
}

// Words that ranks are expected to receive in a step: what the best box needs beyond a rank's part.
einsum::StepCost expected_words(const EinsumShape& whole, int ranks) {
  return [&whole, ranks](IndexSet left, IndexSet right, IndexSet result) {
    const EinsumShape shape =
        shape_of(whole, {between(whole, left), between(whole, right), between(whole, result)});
    const double all = shape.products();
    if (!(all > 0)) return 0.0;
    const einsum::Projections p = einsum::projections(shape);
    const double needed = einsum::footprint(p, einsum::best_box(p, std::max(1.0, all / ranks)));
    double owned = 0;
    for (const EinsumTensor& t : shape.tensors) owned += static_cast<double>(shape.elements(t));
    return std::max(0.0, needed - owned / ranks) + 1e-9 * all / ranks;  // of equals the less work
  };
}

// What a step takes from earlier ones: words, messages and buffers of every rank.
void add_fetched(const EinsumShape& whole, const std::vector<EinsumStep>& steps,
                 const EinsumStep& step, std::size_t operand, einsum::RankCosts& costs) {
  const std::size_t from = step.operands[operand] - whole.operands();
  const auto owned = einsum::result_pieces(whole, steps[from]);
  const std::size_t ranks = owned.size();
  std::vector<std::int64_t> sent(ranks), held(ranks), came(ranks);
  const std::int64_t rounds =
      einsum::rounds_of(step.shape.tensors[operand], step.report.decomposition);
  for (std::int64_t round = 0; round < rounds; ++round) {
    const auto needed = einsum::needed_pieces(whole, step, operand, round);
    std::vector<std::int64_t> out(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      if (needed[r].words() == 0) continue;
      std::int64_t received = 0;
      for (std::size_t s = 0; s < ranks; ++s) {
        std::int64_t words = 0;
        for (const Piece& piece : owned[s]) words += einsum::shared(piece, needed[r]).words();
        if (s == r || words == 0) continue;
        out[s] += words;
        received += words;
        ++costs.messages[r];
      }
      costs.words[r] += received;
      held[r] = std::max(held[r], needed[r].words());
      came[r] = std::max(came[r], received);
    }
    for (std::size_t s = 0; s < ranks; ++s) sent[s] = std::max(sent[s], out[s]);
  }
  for (std::size_t r = 0; r < ranks; ++r) costs.workspace[r] += held[r] + came[r] + sent[r];
}

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

// Plans every step and adds up what the ranks receive.
EinsumChainReport planned(const EinsumPlanRequest& request, std::vector<EinsumStep> steps) {
  const EinsumShape& whole = request.shape;
  EinsumChainReport report;
  einsum::RankCosts all;
  double work = 0;
  report.steps.reserve(steps.size());
  for (EinsumStep& step : steps) {
    EinsumPlanRequest one = request;
    one.shape = step.shape;
    if (request.memory) one.memory = *request.memory - waiting(whole, steps, step, request.ranks);
    step.report = plan_einsum(one);
    std::vector<bool> from_elsewhere(step.shape.tensors.size(), false);
    for (std::size_t o = 0; o < step.operands.size(); ++o)
      from_elsewhere[o] = step.operands[o] >= whole.operands();
    const EinsumDecomposition& d = step.report.decomposition;
    auto costs = einsum::rank_costs(step.shape, d, einsum::cells(step.shape, d), from_elsewhere);
    for (std::size_t o = 0; o < step.operands.size(); ++o) {
      if (from_elsewhere[o]) add_fetched(whole, report.steps, step, o, costs);
    }
    step.cost = einsum::busiest(costs, step.report.cost.work, request.machine);
    work += step.cost.work;
    report.lower_bound += step.report.lower_bound;
    if (all.words.empty()) {
      all = std::move(costs);
    } else {
      for (std::size_t r = 0; r < all.words.size(); ++r) {
        all.words[r] += costs.words[r];
        all.messages[r] += costs.messages[r];
        all.owned[r] += costs.owned[r];
        all.workspace[r] = std::max(all.workspace[r], costs.workspace[r]);
      }
    }
    report.steps.push_back(step);
  }
  report.cost = einsum::busiest(all, work, request.machine);
  const auto words = static_cast<double>(report.cost.words.value);
  if (request.memory && report.cost.memory > *request.memory) {
    throw Error("einsum within " + std::to_string(request.memory->value) + " words per rank",
                "too small for " + std::to_string(steps.size()) + " steps on " +
                    std::to_string(request.ranks) + " ranks",
                "about " + std::to_string(report.cost.memory.value) + " words would do");
  }
  report.ratio = words == 0 && report.lower_bound == 0 ? 1 : words / report.lower_bound;
  return report;
}

EinsumChainReport at_once(const EinsumPlanRequest& request) {
  EinsumStep step;
  step.shape = request.shape;
  for (std::size_t o = 0; o < request.shape.operands(); ++o) step.operands.push_back(o);
  return planned(request, {step});
}

// Products of two elements that the busiest rank forms.
double operations(const EinsumChainReport& report) {
  if (report.steps.size() > 1) return report.cost.work;
  const EinsumStep& step = report.steps.front();
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

}  // namespace

namespace einsum {

Places places_of(const EinsumShape& whole, const EinsumShape& step, const EinsumTensor& tensor) {
  // an index is known by its first letter
  const auto number = [&whole](const EinsumIndex& index) {
    std::size_t t = 0;
    while (whole.indices[t].letters[0] != index.letters[0]) ++t;
    return t;
  };
  std::vector<std::size_t> numbers;
  for (const int t : tensor.indices)
    numbers.push_back(number(step.indices[static_cast<std::size_t>(t)]));
  Places places;
  for (const std::size_t n : numbers) {
    places.push_back(static_cast<std::size_t>(
        std::count_if(numbers.begin(), numbers.end(), [n](std::size_t m) { return m < n; })));
  }
  return places;
}

std::vector<Piece> needed_pieces(const EinsumShape& whole, const EinsumStep& step,
                                 std::size_t operand, std::int64_t round) {
  const EinsumTensor& tensor = step.shape.tensors[operand];
  const Places places = places_of(whole, step.shape, tensor);
  std::vector<Piece> result;
  const EinsumDecomposition& d = step.report.decomposition;
  const bool in_rounds = rounds_of(tensor, d) > 1;
  for (std::size_t r = 0; r < d.boxes.size(); ++r) {
    const EinsumBox box = in_rounds ? d.box(r, round) : d.boxes[r];
    std::vector<Range> ranges(tensor.indices.size());
    if (box.works) ranges = projection(tensor, box);
    result.push_back(dense_piece(ranges, places));
    result.back().needed = box.works;
  }
  return result;
}

std::vector<std::vector<Piece>> result_pieces(const EinsumShape& whole, const EinsumStep& step) {
  const EinsumDecomposition& d = step.report.decomposition;
  return owned_pieces(cells(step.shape, d).back(), static_cast<int>(d.boxes.size()),
                      places_of(whole, step.shape, step.shape.result()));
}

}  // namespace einsum

EinsumChainReport plan_einsum_chain(const EinsumPlanRequest& request, EinsumOrder order) {
  const bool one_step = request.shape.operands() < 3 || request.ranks > most_chain_ranks;
  if (one_step || order == EinsumOrder::once) return at_once(request);
  std::vector<IndexSet> sets;
  einsum::Sides extents;
  for (std::size_t o = 0; o < request.shape.operands(); ++o)
    sets.push_back(einsum::set_of(request.shape.tensors[o]));
  for (const EinsumIndex& i : request.shape.indices)
    extents.push_back(static_cast<double>(i.extent));
  const IndexSet result = einsum::set_of(request.shape.result());
  const auto by = [&](const einsum::StepCost& cost) {
    return planned(request, steps_of(request.shape, einsum::cheapest_order(sets, result, cost)));
  };
  const auto products = [&extents](IndexSet l, IndexSet r, IndexSet) {
    return einsum::extent_of(l | r, extents);
  };
  if (order == EinsumOrder::operations) return by(products);
  const auto words = expected_words(request.shape, request.ranks);
  if (order == EinsumOrder::words) return by(words);
  std::vector<EinsumChainReport> all;
  std::optional<Error> refused;
  const auto offer = [&](const auto& plan) {
    try {
      all.push_back(plan());
    } catch (const Error& e) {
      if (!refused) refused = e;
    }
  };
  offer([&] { return at_once(request); });
  offer([&] { return by(products); });
  offer([&] { return by(words); });
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
