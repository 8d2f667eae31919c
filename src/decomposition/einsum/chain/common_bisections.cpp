// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "decomposition/einsum/bisection.hpp"
#include "decomposition/einsum/chain/common_grids.hpp"

namespace redblue::einsum {

namespace {

// What ranks need in all steps, as one summation over the whole's indices: without the tensors
// between the steps, which stay where they are.
EinsumShape together(const EinsumShape& whole, const std::vector<EinsumStep>& steps,
                     std::size_t first, std::size_t last) {
  EinsumShape shape;
  shape.indices = whole.indices;
  const auto add = [&](const EinsumShape& step, const EinsumTensor& tensor) {
    EinsumTensor t = tensor;
    for (int& index : t.indices)
      index = static_cast<int>(number_in(whole, step.indices[static_cast<std::size_t>(index)]));
    std::sort(t.indices.begin(), t.indices.end());
    shape.tensors.push_back(std::move(t));
  };
  for (std::size_t s = first; s <= last; ++s) {
    const EinsumShape& step = steps[s].shape;
    for (std::size_t o = 0; o < step.operands(); ++o) {
      const std::size_t number = steps[s].operands[o];
      const bool is_between =
          number >= whole.operands() + first && number < whole.operands() + last;
      if (!is_between) add(step, step.tensors[o]);
    }
  }
  add(steps[last].shape, steps[last].shape.result());
  return shape;
}

// The same boxes in a step, whole along the indices that are not common.
EinsumDecomposition of_step(const EinsumShape& whole, const EinsumShape& step,
                            const EinsumDecomposition& all) {
  EinsumDecomposition d;
  d.kind = EinsumDecomposition::Kind::bisection;
  for (const EinsumBox& box : all.boxes) {
    EinsumBox here{box.works, {}};
    if (box.works) {
      for (const EinsumIndex& index : step.indices)
        here.ranges.push_back(box.ranges[number_in(whole, index)]);
    }
    d.boxes.push_back(std::move(here));
  }
  return d;
}

}  // namespace

std::vector<std::vector<EinsumDecomposition>> common_bisections(
    const EinsumPlanRequest& request, const std::vector<EinsumStep>& steps, std::size_t first,
    std::size_t last) {
  constexpr double evenness = 1.03;  // most work of a rank / an even share
  constexpr int most_ranks = 1024;
  const EinsumShape& whole = request.shape;
  const std::vector<std::size_t> common = common_indices(whole, steps, first, last);
  if (common.empty() || request.ranks > most_ranks) return {};
  const EinsumShape shape = together(whole, steps, first, last);
  std::vector<std::size_t> kept;
  for (std::size_t t = 0; t < whole.indices.size(); ++t) {
    if (std::find(common.begin(), common.end(), t) == common.end()) kept.push_back(t);
  }
  const double all = shape.products();
  if (!(all > 1)) return {};
  std::vector<std::vector<EinsumDecomposition>> result;
  for (const auto measure : {Measure::largest, Measure::total}) {
    const auto d =
        searched_bisection(shape, request.ranks, evenness * all / request.ranks, measure, kept);
    if (!d) continue;
    result.emplace_back();
    for (std::size_t s = first; s <= last; ++s)
      result.back().push_back(of_step(whole, steps[s].shape, *d));
  }
  return result;
}

}  // namespace redblue::einsum
