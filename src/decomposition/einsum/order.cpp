// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/order.hpp"

#include <algorithm>
#include <limits>

namespace redblue::einsum {

namespace {

constexpr std::size_t most_exact = 10;

// What of the operands in `inside` others or the result need.
IndexSet needed(const std::vector<IndexSet>& operands, IndexSet result, std::uint32_t inside) {
  IndexSet all = 0;
  IndexSet elsewhere = result;
  for (std::size_t o = 0; o < operands.size(); ++o)
    ((inside >> o & 1U) != 0 ? all : elsewhere) |= operands[o];
  return all & elsewhere;
}

struct Best {
  double cost = std::numeric_limits<double>::infinity();
  std::uint32_t left = 0;  // of two parts
};

// Dynamic programming over subsets: the best order of each, from those of its parts.
class Exact {
 public:
  Exact(const std::vector<IndexSet>& operands, IndexSet result, const StepCost& step_cost)
      : operands_(operands), best_(std::size_t{1} << operands.size()) {
    for (std::uint32_t s = 1; s < best_.size(); ++s) {
      // an operand stands with all its indices: a step sums what nobody else needs
      const bool single = (s & (s - 1)) == 0;
      sets_.push_back(needed(operands, result, s));
      if (single) {
        sets_.back() = operand_of(s);
        best_[s].cost = 0;
        continue;
      }
      for (std::uint32_t left = (s - 1) & s; left > 0; left = (left - 1) & s) {
        const std::uint32_t right = s & ~left;
        if (left < right) continue;  // the same pair
        const IndexSet l = sets_[left - 1];
        const IndexSet r = sets_[right - 1];
        const double cost = best_[left].cost + best_[right].cost + step_cost(l, r, sets_[s - 1]);
        if (cost < best_[s].cost) best_[s] = {cost, left};
      }
    }
  }

  std::vector<ProductStep> steps() {
    std::vector<ProductStep> result;
    if (operands_.size() > 1) add(static_cast<std::uint32_t>(best_.size() - 1), result);
    return result;
  }

 private:
  IndexSet operand_of(std::uint32_t s) const {
    std::size_t o = 0;
    while ((s >> o & 1U) == 0) ++o;
    return operands_[o];
  }

  // Number of what the operands in s give.
  std::size_t add(std::uint32_t s, std::vector<ProductStep>& result) {
    if ((s & (s - 1)) == 0) {
      std::size_t o = 0;
      while ((s >> o & 1U) == 0) ++o;
      return o;
    }
    const std::uint32_t left = best_[s].left;
    const std::uint32_t right = s & ~left;
    ProductStep step;
    const std::size_t a = add(left, result);
    const std::size_t b = add(right, result);
    step.left = std::min(a, b);
    step.right = std::max(a, b);
    step.loops = sets_[left - 1] | sets_[right - 1];
    step.result = sets_[s - 1];
    result.push_back(step);
    return operands_.size() + result.size() - 1;
  }

  const std::vector<IndexSet>& operands_;
  std::vector<Best> best_;
  std::vector<IndexSet> sets_;  // of subset s at s - 1
};

std::vector<ProductStep> greedy(const std::vector<IndexSet>& operands, IndexSet result,
                                const StepCost& step_cost) {
  std::vector<ProductStep> steps;
  std::vector<IndexSet> there = operands;
  std::vector<bool> used(operands.size(), false);
  while (steps.size() + 1 < operands.size()) {
    double least = std::numeric_limits<double>::infinity();
    ProductStep best;
    for (std::size_t a = 0; a < there.size(); ++a) {
      for (std::size_t b = a + 1; b < there.size(); ++b) {
        if (used[a] || used[b]) continue;
        IndexSet elsewhere = result;
        for (std::size_t o = 0; o < there.size(); ++o) {
          if (!used[o] && o != a && o != b) elsewhere |= there[o];
        }
        const ProductStep step = {a, b, there[a] | there[b], (there[a] | there[b]) & elsewhere};
        const double cost = step_cost(there[a], there[b], step.result);
        if (cost < least) {
          least = cost;
          best = step;
        }
      }
    }
    used[best.left] = used[best.right] = true;
    there.push_back(best.result);
    used.push_back(false);
    steps.push_back(best);
  }
  return steps;
}

}  // namespace

double extent_of(IndexSet set, const Sides& extents) {
  double all = 1;
  for (std::size_t t = 0; t < extents.size(); ++t) {
    if ((set >> t & 1U) != 0) all *= extents[t];
  }
  return all;
}

StepCost local_cost(const Sides& extents) {
  return [extents](IndexSet left, IndexSet right, IndexSet result) {
    constexpr double element_by_element = 8;
    const bool is_gemm = (left & ~right & result) != 0 && (right & ~left & result) != 0 &&
                         (left & right & ~result) != 0;
    return extent_of(left | right, extents) * (is_gemm ? 1 : element_by_element);
  };
}

IndexSet set_of(const EinsumTensor& tensor) {
  IndexSet set = 0;
  for (const int t : tensor.indices) set |= IndexSet{1} << t;
  return set;
}

std::vector<ProductStep> cheapest_order(const std::vector<IndexSet>& operands, IndexSet result,
                                        const StepCost& cost) {
  if (operands.size() > most_exact) return greedy(operands, result, cost);
  return Exact(operands, result, cost).steps();
}

}  // namespace redblue::einsum
