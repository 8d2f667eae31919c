// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/ownership.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "decomposition/stationary.hpp"

namespace redblue {

Block footprint(const Cuboid& cuboid, Operand operand) {
  if (operand == Operand::a) return {cuboid.i, cuboid.k};
  if (operand == Operand::b) return {cuboid.k, cuboid.j};
  return {cuboid.i, cuboid.j};
}

const Range& k_range(const Block& block, Operand operand) {
  return operand == Operand::a ? block.columns : block.rows;
}

Range round_of(const Range& k, std::int64_t round, std::int64_t rounds) {
  return {k.begin + fraction_of(k.size(), round, rounds),
          k.begin + fraction_of(k.size(), round + 1, rounds)};
}

std::int64_t round_index(const Range& k, std::int64_t position, std::int64_t rounds) {
  auto round =
      static_cast<std::int64_t>(static_cast<double>(position - k.begin) *
                                static_cast<double>(rounds) / static_cast<double>(k.size()));
  while (round + 1 < rounds && round_of(k, round + 1, rounds).begin <= position) ++round;
  while (round > 0 && round_of(k, round, rounds).begin > position) --round;
  return round;
}

Cell even_cell(const Block& block, const std::vector<int>& needers) {
  Cell cell{block, needers, {}};
  const std::int64_t count = static_cast<std::int64_t>(needers.size());
  for (std::int64_t t = 0; t <= count; ++t)
    cell.begins.push_back(fraction_of(block.size(), t, count));
  return cell;
}

namespace {

// Sorted cut positions along one direction of the matrix.
class Lines {
 public:
  void add(const Range& r) {
    positions_.push_back(r.begin);
    positions_.push_back(r.end);
  }
  void finish() {
    std::sort(positions_.begin(), positions_.end());
    positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
  }
  std::size_t index(std::int64_t position) const {
    return static_cast<std::size_t>(
        std::lower_bound(positions_.begin(), positions_.end(), position) - positions_.begin());
  }
  std::size_t gaps() const { return positions_.empty() ? 0 : positions_.size() - 1; }
  Range gap(std::size_t g) const { return {positions_[g], positions_[g + 1]}; }

 private:
  std::vector<std::int64_t> positions_;
};

// One rectangle per group where the group fills its bounding box, else the group as it is.
void append_merged(std::vector<Cell>& cells, const std::vector<Block>& group,
                   const std::vector<int>& needers) {
  Block box = group.front();
  std::int64_t area = 0;
  for (const Block& b : group) {
    area += b.size();
    box.rows = {std::min(box.rows.begin, b.rows.begin), std::max(box.rows.end, b.rows.end)};
    box.columns = {std::min(box.columns.begin, b.columns.begin),
                   std::max(box.columns.end, b.columns.end)};
  }
  if (area == box.size()) {
    cells.push_back(even_cell(box, needers));
    return;
  }
  for (const Block& b : group) cells.push_back(even_cell(b, needers));
}

// `pieces`: rounds for A and B, panels for C; no cell crosses a piece's border.
std::vector<Cell> overlay(const std::vector<Cuboid>& cuboids, Operand operand,
                          std::int64_t pieces) {
  Lines rows;
  Lines columns;
  Lines& along = operand == Operand::b ? rows : columns;
  const auto cut_side = [operand](const Cuboid& cuboid) -> const Range& {
    return operand == Operand::c ? cuboid.j : cuboid.k;
  };
  for (const Cuboid& cuboid : cuboids) {
    const Block need = footprint(cuboid, operand);
    if (need.size() <= 0) continue;
    rows.add(need.rows);
    columns.add(need.columns);
    for (std::int64_t p = 0; p < pieces; ++p) along.add(round_of(cut_side(cuboid), p, pieces));
  }
  rows.finish();
  columns.finish();
  std::vector<std::vector<int>> needers(rows.gaps() * columns.gaps());
  for (std::size_t rank = 0; rank < cuboids.size(); ++rank) {
    const Block need = footprint(cuboids[rank], operand);
    if (need.size() <= 0) continue;
    for (std::size_t c = columns.index(need.columns.begin); c < columns.index(need.columns.end);
         ++c) {
      for (std::size_t r = rows.index(need.rows.begin); r < rows.index(need.rows.end); ++r) {
        needers[c * rows.gaps() + r].push_back(static_cast<int>(rank));
      }
    }
  }
  // Group by who needs a block, and in which piece each does.
  std::map<std::pair<std::vector<int>, std::vector<std::int64_t>>, std::vector<Block>> groups;
  for (std::size_t c = 0; c < columns.gaps(); ++c) {
    for (std::size_t r = 0; r < rows.gaps(); ++r) {
      const std::vector<int>& who = needers[c * rows.gaps() + r];
      const Block block{rows.gap(r), columns.gap(c)};
      if (who.empty() || block.size() == 0) continue;
      std::vector<std::int64_t> when;
      if (pieces > 1) {
        const Range& side = operand == Operand::b ? block.rows : block.columns;
        for (const int rank : who) {
          when.push_back(
              round_index(cut_side(cuboids[static_cast<std::size_t>(rank)]), side.begin, pieces));
        }
      }
      groups[{who, when}].push_back(block);
    }
  }
  std::vector<Cell> cells;
  for (const auto& [key, group] : groups) append_merged(cells, group, key.first);
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
    return std::pair(a.block.columns.begin, a.block.rows.begin) <
           std::pair(b.block.columns.begin, b.block.rows.begin);
  });
  return cells;
}

// Evens out received words by moving shares within cells.
class Balance {
 public:
  Balance(Ownership& ownership, std::size_t ranks) : load_(ranks, 0.0) {
    add(ownership.a, false);
    add(ownership.b, false);
    add(ownership.c, true);
  }

  // Minimises the sum of squared loads, one cell at a time; for inputs alone its minimum is the
  // smallest largest load.
  void run() {
    sweep([](const Shared&) { return true; });
    for (const Shared& s : shared_) write_back(s);
  }

  // An element of an output weighs as much as all that its owner receives of it: outputs are shared
  // out in whole elements before inputs even out what is left.
  void run_outputs_first() {
    sweep([](const Shared&) { return true; });
    for (Shared& s : shared_) {
      if (s.slope > 0) round(s);
    }
    sweep([](const Shared& s) { return s.slope < 0; });
    for (const Shared& s : shared_) write_back(s);
  }

 private:
  struct Shared {
    Cell* cell;
    double slope;  // words received per word owned
    std::vector<double> shares;
  };

  // Rebalances the cells for which `moves` until little moves.
  template <class Moves>
  void sweep(const Moves& moves) {
    constexpr std::size_t most_updates = 1000000;
    std::size_t updates = 1;
    for (const Shared& s : shared_) updates += s.shares.size();
    const std::size_t sweeps = std::clamp<std::size_t>(most_updates / updates, 3, 60);
    constexpr double settled = 1e-3;  // words
    for (std::size_t k = 0; k < sweeps; ++k) {
      double moved = 0;
      for (Shared& s : shared_) moved = std::max(moved, moves(s) ? rebalance(s) : 0.0);
      if (moved < settled) break;
    }
  }

  // Whole shares; those who receive least so far get one more.
  void round(Shared& s) {
    double left = static_cast<double>(s.cell->block.size());
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < s.shares.size(); ++t) {
      const double whole = std::floor(s.shares[t] + 1e-6);
      load(*s.cell, t) += s.slope * (whole - s.shares[t]);
      s.shares[t] = whole;
      left -= whole;
      order.push_back(t);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return load(*s.cell, a) < load(*s.cell, b);
    });
    for (std::size_t k = 0; left > 0; --left, k = (k + 1) % order.size()) {
      s.shares[order[k]] += 1;
      load(*s.cell, order[k]) += s.slope;
    }
  }

  void add(std::vector<Cell>& cells, bool output) {
    for (Cell& cell : cells) {
      const std::size_t count = cell.needers.size();
      if (count == 1) continue;
      Shared s{&cell, output ? static_cast<double>(count - 1) : -1.0, {}};
      for (std::size_t t = 0; t < count; ++t) {
        const double share = static_cast<double>(cell.share(t));
        s.shares.push_back(share);
        load(cell, t) += s.slope * share + (output ? 0.0 : static_cast<double>(cell.block.size()));
      }
      shared_.push_back(std::move(s));
    }
  }

  double& load(const Cell& cell, std::size_t t) {
    return load_[static_cast<std::size_t>(cell.needers[t])];
  }

  // Shares x_t >= 0 with sum |cell| that make load_t + slope x_t equal wherever x_t > 0. The
  // largest change of a share.
  double rebalance(Shared& s) {
    const std::size_t count = s.shares.size();
    std::vector<std::pair<double, std::size_t>> height;  // ascending: who takes first
    for (std::size_t t = 0; t < count; ++t) {
      load(*s.cell, t) -= s.slope * s.shares[t];
      height.emplace_back(load(*s.cell, t) / s.slope, t);
    }
    std::sort(height.begin(), height.end());
    const double total = static_cast<double>(s.cell->block.size());
    double sum = 0;
    double level = 0;
    for (std::size_t used = 0; used < count; ++used) {
      sum += height[used].first;
      level = (total + sum) / static_cast<double>(used + 1);
      if (used + 1 == count || level <= height[used + 1].first) break;
    }
    double moved = 0;
    for (const auto& [h, t] : height) {
      const double share = std::max(0.0, level - h);
      moved = std::max(moved, std::abs(share - s.shares[t]));
      s.shares[t] = share;
      load(*s.cell, t) += s.slope * share;
    }
    return moved;
  }

  static void write_back(const Shared& s) {
    double sum = 0;
    for (std::size_t t = 0; t + 1 < s.shares.size(); ++t) {
      sum += s.shares[t];
      s.cell->begins[t + 1] =
          std::min(s.cell->block.size(), static_cast<std::int64_t>(std::llround(sum)));
    }
  }

  std::vector<double> load_;
  std::vector<Shared> shared_;
};

}  // namespace

void even_out(std::vector<Cell>& cells, std::size_t ranks) {
  Ownership inputs{std::move(cells), {}, {}};
  Balance(inputs, ranks).run();
  cells = std::move(inputs.a);
}

void even_out(Ownership& ownership, std::size_t ranks) {
  Balance(ownership, ranks).run_outputs_first();
}

const std::vector<Cell>& Ownership::of(Operand operand) const {
  return operand == Operand::a ? a : operand == Operand::b ? b : c;
}

Ownership ownership(const Decomposition& decomposition, const std::vector<Cuboid>& cuboids) {
  if (decomposition.kind == Decomposition::Kind::stationary)
    return stationary_ownership(decomposition, cuboids);
  Ownership result;
  result.a = overlay(cuboids, Operand::a, decomposition.rounds);
  result.b = overlay(cuboids, Operand::b, decomposition.rounds);
  result.c = overlay(cuboids, Operand::c, decomposition.panels * decomposition.reductions);
  if (decomposition.kind == Decomposition::Kind::bisection) Balance(result, cuboids.size()).run();
  return result;
}

}  // namespace redblue
