// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/chain/steps.hpp"

#include <algorithm>
#include <utility>

namespace redblue::einsum {

namespace {

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
    any |= set_of(t);
    every &= set_of(t);
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

std::vector<EinsumStatement> statements_of(const EinsumShape& whole) {
  if (!whole.statements.empty()) return whole.statements;
  EinsumStatement all;
  all.tensors = whole.tensors;
  for (std::size_t o = 0; o < whole.operands(); ++o) all.operands.push_back(o);
  return {all};
}

// Adds the steps of a summation; `numbers`: what its operands are among operands and steps.
void add_once(const EinsumShape& whole, const EinsumStatement& s,
              const std::vector<std::size_t>& numbers, std::vector<EinsumStep>& steps) {
  EinsumStep step;
  step.shape = shape_of(whole, s.tensors);
  step.operands = numbers;
  steps.push_back(std::move(step));
}

void add_in_pairs(const EinsumShape& whole, const EinsumStatement& s,
                  const std::vector<std::size_t>& numbers, const StepCost& cost,
                  std::vector<EinsumStep>& steps) {
  std::vector<IndexSet> sets;
  std::vector<EinsumTensor> there(s.tensors.begin(), s.tensors.end() - 1);
  std::vector<std::size_t> number = numbers;
  for (const EinsumTensor& t : there) sets.push_back(set_of(t));
  const auto order = cheapest_order(sets, set_of(s.tensors.back()), cost);
  for (const ProductStep& p : order) {
    const bool is_last = &p == &order.back();
    there.push_back(is_last ? s.tensors.back() : between(whole, p.result));
    number.push_back(whole.operands() + steps.size());
    EinsumStep step;
    step.shape = shape_of(whole, {there[p.left], there[p.right], there.back()});
    step.operands = {number[p.left], number[p.right]};
    steps.push_back(std::move(step));
  }
}

std::vector<EinsumStep> steps_of(const EinsumShape& whole, const StepCost* cost) {
  std::vector<EinsumStep> steps;
  std::vector<std::size_t> last;  // step of every statement
  for (const EinsumStatement& s : statements_of(whole)) {
    std::vector<std::size_t> numbers = s.operands;
    for (std::size_t& n : numbers) {
      if (n >= whole.operands()) n = whole.operands() + last[n - whole.operands()];
    }
    if (cost == nullptr || s.operands.size() < 3) {
      add_once(whole, s, numbers, steps);
    } else {
      add_in_pairs(whole, s, numbers, *cost, steps);
    }
    last.push_back(steps.size() - 1);
  }
  return steps;
}

}  // namespace

std::vector<EinsumStep> steps_at_once(const EinsumShape& whole) {
  return steps_of(whole, nullptr);
}

std::vector<EinsumStep> steps_by(const EinsumShape& whole, const StepCost& cost) {
  return steps_of(whole, &cost);
}

StepCost expected_words(const EinsumShape& whole, int ranks) {
  return [&whole, ranks](IndexSet left, IndexSet right, IndexSet result) {
    const EinsumShape shape =
        shape_of(whole, {between(whole, left), between(whole, right), between(whole, result)});
    const double all = shape.products();
    if (!(all > 0)) return 0.0;
    const Projections p = projections(shape);
    const double needed = footprint(p, best_box(p, std::max(1.0, all / ranks)));
    double owned = 0;
    for (const EinsumTensor& t : shape.tensors) owned += static_cast<double>(shape.elements(t));
    return std::max(0.0, needed - owned / ranks) + 1e-9 * all / ranks;  // of equals the less work
  };
}

StepCost products(const EinsumShape& whole) {
  Sides extents;
  for (const EinsumIndex& i : whole.indices) extents.push_back(static_cast<double>(i.extent));
  return [extents](IndexSet l, IndexSet r, IndexSet) { return extent_of(l | r, extents); };
}

std::size_t most_operands(const EinsumShape& whole) {
  std::size_t most = 0;
  for (const EinsumStatement& s : statements_of(whole)) most = std::max(most, s.operands.size());
  return most;
}

}  // namespace redblue::einsum
