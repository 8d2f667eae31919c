// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/symmetric/triangle.hpp"

#include <algorithm>
#include <numeric>

#include "decomposition/request.hpp"

namespace redblue {

std::string TriangleDecomposition::name() const {
  const std::string cut = replicas > 1 ? "k cut " + std::to_string(replicas) + " ways" : "";
  if (row_blocks == 1) return replicas > 1 ? cut : "one rank";
  std::size_t largest = 0;
  for (const std::vector<int>& t : row_blocks_of) largest = std::max(largest, t.size());
  const int common = std::gcd(static_cast<int>(largest), row_blocks);
  return std::to_string(row_blocks_of.size()) + " triangle blocks of " +
         std::to_string(static_cast<int>(largest) / common) + "/" +
         std::to_string(row_blocks / common) + " of the rows" + (replicas > 1 ? ", " + cut : "");
}

Range TriangleDecomposition::rows(int row_block) const {
  return round_of({0, shape.n}, row_block, row_blocks);
}

Range TriangleDecomposition::columns(int replica) const {
  return round_of({0, shape.k}, replica, replicas);
}

std::int64_t counted(const Cell& cell, std::int64_t elements) {
  if (!(cell.block.rows == cell.block.columns)) return elements;
  const std::int64_t rows = cell.block.rows.size();
  const std::int64_t whole = elements / rows;
  return whole * rows - whole * (whole - 1) / 2 +
         std::max<std::int64_t>(0, elements % rows - whole);
}

std::int64_t OutputShares::first_with_more(std::int64_t total) {
  const std::int64_t first = next_;
  next_ = (next_ + total % replicas_) % replicas_;
  return first;
}

void OutputShares::share(Cell& cell) {
  const std::int64_t rows = cell.block.rows.size();
  const bool diagonal = cell.block.rows == cell.block.columns;
  const std::int64_t total = counted(cell, cell.block.size());
  const std::int64_t first = first_with_more(total);
  std::int64_t elements = 0;
  std::int64_t wanted = 0;
  cell.begins.assign(static_cast<std::size_t>(replicas_) + 1, 0);
  for (int t = 1; t < replicas_; ++t) {
    const std::int64_t turn = (t - 1 - first + replicas_) % replicas_;
    wanted += total / replicas_ + (turn < total % replicas_ ? 1 : 0);
    if (!diagonal) {
      elements = wanted;
    } else {
      while (elements + rows <= cell.block.size() && counted(cell, elements + rows) <= wanted) {
        elements += rows;
      }
      while (counted(cell, elements) < wanted) ++elements;
    }
    cell.begins[static_cast<std::size_t>(t)] = elements;
  }
  cell.begins.back() = cell.block.size();
}

bool replicas_are_alike(const TriangleDecomposition& d) {
  return d.ranks > ranks_that_all_work;
}

namespace {

// The members that touch each point.
std::vector<std::vector<int>> touching(const TriangleDecomposition& d) {
  std::vector<std::vector<int>> members(static_cast<std::size_t>(d.row_blocks));
  for (std::size_t r = 0; r < d.row_blocks_of.size(); ++r) {
    for (const int p : d.row_blocks_of[r]) {
      members[static_cast<std::size_t>(p)].push_back(static_cast<int>(r));
    }
  }
  return members;
}

void add_inputs_of_replica(const TriangleDecomposition& d,
                           const std::vector<std::vector<int>>& touching_members, int replica,
                           int first_rank, std::vector<Cell>& cells) {
  for (int p = 0; p < d.row_blocks; ++p) {
    std::vector<int> needers = touching_members[static_cast<std::size_t>(p)];
    for (int& r : needers) r += first_rank;
    const Block block{d.rows(p), d.columns(replica)};
    if (block.size() > 0) cells.push_back(even_cell(block, needers));
  }
}

}  // namespace

std::vector<Cell> inputs_of_replica(const TriangleDecomposition& d, int replica) {
  std::vector<Cell> cells;
  add_inputs_of_replica(d, touching(d), replica, 0, cells);
  even_out(cells, d.row_blocks_of.size());
  return cells;
}

std::vector<Cell> inputs(const TriangleDecomposition& d) {
  const int members = static_cast<int>(d.row_blocks_of.size());
  std::vector<Cell> cells;
  if (replicas_are_alike(d)) {
    for (int l = 0; l < d.replicas; ++l) {
      for (Cell& cell : inputs_of_replica(d, l)) {
        for (int& r : cell.needers) r += l * members;
        cells.push_back(std::move(cell));
      }
    }
    return cells;
  }
  const std::vector<std::vector<int>> touching_members = touching(d);
  for (int l = 0; l < d.replicas; ++l) {
    add_inputs_of_replica(d, touching_members, l, l * members, cells);
  }
  even_out(cells, static_cast<std::size_t>(d.ranks_used()));
  return cells;
}

void for_each_output(const TriangleDecomposition& d,
                     const std::function<void(const Cell&)>& visit) {
  const int members = static_cast<int>(d.row_blocks_of.size());
  Cell cell;
  for (int r = 0; r < members; ++r) {
    OutputShares shares(d.replicas);
    cell.needers.clear();
    for (int l = 0; l < d.replicas; ++l) cell.needers.push_back(l * members + r);
    for (const auto& [i, j] : d.pairs[static_cast<std::size_t>(r)]) {
      cell.block = {d.rows(i), d.rows(j)};
      if (cell.block.size() == 0) continue;
      shares.share(cell);
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
