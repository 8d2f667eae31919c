// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/chain/symmetric.hpp"

#include <algorithm>
#include <map>

#include "decomposition/cost.hpp"
#include "decomposition/symmetric/triangle.hpp"
#include "redblue/error.hpp"

namespace redblue::einsum {

namespace {

const EinsumIndex& index_of(const EinsumShape& shape, std::size_t t) {
  return shape.indices[t];
}

// The index of both tensors but not of the third.
std::optional<std::size_t> common(const EinsumShape& shape, const EinsumTensor& a,
                                  const EinsumTensor& b, const EinsumTensor& without) {
  std::optional<std::size_t> result;
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    const int index = static_cast<int>(t);
    if (!a.has(index) || !b.has(index) || without.has(index)) continue;
    if (result) return std::nullopt;
    result = t;
  }
  return result;
}

}  // namespace

std::optional<SymmetricProduct> symmetric_product(const EinsumStep& step) {
  const EinsumShape& shape = step.shape;
  if (step.operands.size() != 2 || step.operands[0] != step.operands[1]) return std::nullopt;
  if (shape.indices.size() != 3 || shape.products() < 1) return std::nullopt;
  const EinsumTensor& a = shape.tensors[0];
  const EinsumTensor& b = shape.tensors[1];
  const EinsumTensor& c = shape.tensors[2];
  const auto rows = common(shape, a, c, b);
  const auto others = common(shape, b, c, a);
  const auto summed = common(shape, a, b, c);
  if (!rows || !others || !summed) return std::nullopt;
  std::map<char, char> other;  // the letter of b in the place of one of a
  for (std::size_t l = 0; l < a.letters.size(); ++l) {
    if (a.extents[l] > 1) other[a.letters[l]] = b.letters[l];
  }
  const auto exchanged = [&other](const EinsumIndex& index) {
    std::string letters;
    for (const char l : index.letters) letters += other.count(l) == 1 ? other[l] : ' ';
    return letters;
  };
  const bool is_symmetric = exchanged(index_of(shape, *rows)) == index_of(shape, *others).letters &&
                            exchanged(index_of(shape, *summed)) == index_of(shape, *summed).letters;
  if (!is_symmetric) return std::nullopt;
  return SymmetricProduct{
      {index_of(shape, *rows).extent, index_of(shape, *summed).extent}, *rows, *others, *summed};
}

std::optional<SyrkPlanReport> plan_symmetric(const EinsumPlanRequest& request,
                                             const EinsumChainReport& plan) {
  if (plan.steps.size() != 1 || request.ranks < 2 || !request.layouts.empty()) return std::nullopt;
  const auto product = symmetric_product(plan.steps.front());
  if (!product) return std::nullopt;
  try {
    SyrkPlanReport symmetric = plan_syrk(
        {product->shape, request.ranks, request.memory, request.objective, request.machine});
    // the result, both triangles, beside the one that is added up
    const Ownership all = ownership(symmetric.decomposition);
    Words most;
    for (int r = 0; r < request.ranks; ++r) {
      Words words;
      for (const OwnedLine& line : owned_lines(all.c, Rank{r}))
        words += Words(2 * (line.end - line.begin));
      most = std::max(most, words);
    }
    symmetric.cost.memory += most;
    if (request.memory && symmetric.cost.memory > *request.memory) return std::nullopt;
    if (!better(symmetric.cost, plan.cost, request.objective)) return std::nullopt;
    return symmetric;
  } catch (const Error&) {  // no triangle blocks fit the memory
    return std::nullopt;
  }
}

std::vector<OwnedLine> owned_lines(const std::vector<Cell>& cells, Rank rank) {
  std::vector<OwnedLine> lines;
  std::int64_t offset = 0;
  for (const Cell& cell : cells) {
    const auto me = std::lower_bound(cell.needers.begin(), cell.needers.end(), rank.value);
    if (me == cell.needers.end() || *me != rank.value) continue;
    const auto t = static_cast<std::size_t>(me - cell.needers.begin());
    const std::int64_t height = cell.block.rows.size();
    for (std::int64_t at = cell.begins[t]; at < cell.begins[t] + cell.share(t);) {
      const std::int64_t column = at / height;
      const std::int64_t end = std::min((column + 1) * height, cell.begins[t] + cell.share(t));
      const std::int64_t first = cell.block.rows.begin - column * height;
      lines.push_back({first + at, first + end, cell.block.columns.begin + column, offset});
      offset += end - at;
      at = end;
    }
  }
  return lines;
}

}  // namespace redblue::einsum
