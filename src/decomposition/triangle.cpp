#include "decomposition/triangle.hpp"

#include <algorithm>
#include <numeric>

namespace redblue {

std::string TriangleDecomposition::name() const {
  const std::string cut = layers > 1 ? "k cut " + std::to_string(layers) + " ways" : "";
  if (points == 1) return layers > 1 ? cut : "one rank";
  std::size_t largest = 0;
  for (const std::vector<int>& t : touched) largest = std::max(largest, t.size());
  const int common = std::gcd(static_cast<int>(largest), points);
  return std::to_string(touched.size()) + " triangle blocks of " +
         std::to_string(static_cast<int>(largest) / common) + "/" +
         std::to_string(points / common) + " of the rows" + (layers > 1 ? ", " + cut : "");
}

Range TriangleDecomposition::rows(int point) const {
  return round_of({0, shape.n}, point, points);
}

Range TriangleDecomposition::columns(int layer) const {
  return round_of({0, shape.k}, layer, layers);
}

std::int64_t counted(const Cell& cell, std::int64_t elements) {
  if (!(cell.block.rows == cell.block.columns)) return elements;
  const std::int64_t rows = cell.block.rows.size();
  const std::int64_t whole = elements / rows;
  return whole * rows - whole * (whole - 1) / 2 +
         std::max<std::int64_t>(0, elements % rows - whole);
}

namespace {

// Every needer gets as many elements that count, to within one.
void share_evenly(Cell& cell) {
  const auto count = static_cast<std::int64_t>(cell.needers.size());
  const std::int64_t rows = cell.block.rows.size();
  const std::int64_t total = counted(cell, cell.block.size());
  std::int64_t elements = 0;
  cell.begins.assign(cell.needers.size() + 1, 0);
  for (std::int64_t t = 1; t < count; ++t) {
    const std::int64_t wanted = total * t / count;
    while (counted(cell, elements + rows) <= wanted) elements += rows;
    while (counted(cell, elements) < wanted) ++elements;
    cell.begins[static_cast<std::size_t>(t)] = elements;
  }
  cell.begins.back() = cell.block.size();
}

}  // namespace

std::vector<Cell> inputs(const TriangleDecomposition& d) {
  const int members = static_cast<int>(d.touched.size());
  std::vector<std::vector<int>> touching(static_cast<std::size_t>(d.points));
  for (int r = 0; r < members; ++r) {
    for (const int p : d.touched[static_cast<std::size_t>(r)]) {
      touching[static_cast<std::size_t>(p)].push_back(r);
    }
  }
  std::vector<Cell> cells;
  for (int l = 0; l < d.layers; ++l) {
    for (int p = 0; p < d.points; ++p) {
      std::vector<int> needers = touching[static_cast<std::size_t>(p)];
      for (int& r : needers) r += l * members;
      const Block block{d.rows(p), d.columns(l)};
      if (block.size() > 0) cells.push_back(even_cell(block, needers));
    }
  }
  even_out(cells, static_cast<std::size_t>(d.ranks_used()));
  return cells;
}

void for_each_output(const TriangleDecomposition& d,
                     const std::function<void(const Cell&)>& visit) {
  const int members = static_cast<int>(d.touched.size());
  Cell cell;
  for (int r = 0; r < members; ++r) {
    cell.needers.clear();
    for (int l = 0; l < d.layers; ++l) cell.needers.push_back(l * members + r);
    for (const auto& [i, j] : d.pairs[static_cast<std::size_t>(r)]) {
      cell.block = {d.rows(i), d.rows(j)};
      if (cell.block.size() == 0) continue;
      share_evenly(cell);
      visit(cell);
    }
  }
}

Ownership ownership(const TriangleDecomposition& d) {
  Ownership result;
  result.a = inputs(d);
  for_each_output(d, [&result](const Cell& cell) { result.c.push_back(cell); });
  return result;
}

}  // namespace redblue
