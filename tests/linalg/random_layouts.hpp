// SPDX-License-Identifier: BSD-3-Clause
// Random sizes, scalars and layouts, the same on every rank, and their names in a failure's line.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "redblue/layout.hpp"
#include "redblue/op.hpp"

namespace redblue {

// The parts one after the other, numbers with enough digits to tell a wrong one.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream stream;
  stream.precision(9);
  (stream << ... << parts);
  return stream.str();
}

// The same numbers on every rank.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

inline std::int64_t random_size(Dice& dice) {
  if (dice.one_in(12)) return dice.between(0, 1);
  return dice.between(1, dice.one_in(4) ? 400 : 70);
}

template <class T>
using Real = decltype(std::abs(T{}));

template <class T>
T random_scalar(Dice& dice) {
  const std::int64_t kind = dice.between(0, 3);
  if (kind < 2) return T(static_cast<Real<T>>(kind));
  if constexpr (std::is_floating_point_v<T>) {
    return T(-0.5);
  } else {
    return T(Real<T>(0.5), Real<T>(-1.5));
  }
}

inline Op random_op(Dice& dice) {
  return static_cast<Op>(dice.between(0, 2));
}

inline const char* name(Op op) {
  return op == Op::none ? "" : op == Op::transpose ? "^T" : "^H";
}

inline Cyclic random_cyclic(Dice& dice, int processes) {
  Cyclic c;
  c.block = dice.between(1, dice.one_in(3) ? 40 : 8);
  c.first = dice.one_in(3) ? dice.between(1, 12) : c.block;
  c.processes = processes;
  c.source = static_cast<int>(dice.between(0, processes - 1));
  return c;
}

inline BlockCyclic random_block_cyclic(Dice& dice, std::int64_t rows, std::int64_t columns,
                                       int ranks, Rank me) {
  BlockCyclic l;
  l.rows = rows;
  l.columns = columns;
  const int used = static_cast<int>(dice.between(1, ranks));
  const int down = static_cast<int>(dice.between(1, used));
  l.down = random_cyclic(dice, down);
  l.across = random_cyclic(dice, used / down);
  std::vector<Rank> all;
  for (int r = 0; r < ranks; ++r) all.push_back(Rank{r});
  for (int r = 0; r < ranks; ++r) {
    std::swap(all[static_cast<std::size_t>(r)],
              all[static_cast<std::size_t>(dice.between(r, ranks - 1))]);
  }
  const int cells = l.down.processes * l.across.processes;
  l.ranks.assign(all.begin(), all.begin() + cells);
  if (dice.one_in(2)) {
    l.first_row = dice.between(0, 20);
    l.first_column = dice.between(0, 20);
  }
  const std::int64_t gap = dice.one_in(2) ? dice.between(1, 5) : 0;
  for (int at = 0; at < cells; ++at) {
    if (l.ranks[static_cast<std::size_t>(at)] == me) {
      l.leading =
          std::max<std::int64_t>(1, l.down.count(l.first_row + rows, at / l.across.processes)) +
          gap + me.value % 2;  // each rank its own
    }
  }
  return l;
}

inline std::vector<std::int64_t> random_cuts(Dice& dice, std::int64_t extent) {
  std::vector<std::int64_t> cuts = {0};
  while (cuts.back() < extent) cuts.push_back(std::min(extent, cuts.back() + dice.between(0, 30)));
  return cuts;
}

inline Layout random_layout(Dice& dice, std::int64_t rows, std::int64_t columns, int ranks,
                            Rank me) {
  if (!dice.one_in(4)) return random_block_cyclic(dice, rows, columns, ranks, me);
  BlockGrid grid;
  grid.row_cuts = random_cuts(dice, rows);
  grid.column_cuts = random_cuts(dice, columns);
  for (std::size_t b = 0; b < (grid.row_cuts.size() - 1) * (grid.column_cuts.size() - 1); ++b) {
    grid.owners.push_back(Rank{static_cast<int>(dice.between(0, ranks - 1))});
  }
  return grid;
}

// Of a matrix whose op is rows x columns.
inline Layout random_layout_before(Op op, Dice& dice, std::int64_t rows, std::int64_t columns,
                                   int ranks, Rank me) {
  return op == Op::none ? random_layout(dice, rows, columns, ranks, me)
                        : random_layout(dice, columns, rows, ranks, me);
}

// The first few.
inline std::string listed(const std::vector<std::int64_t>& values) {
  constexpr std::size_t most = 12;
  std::string list;
  for (std::size_t v = 0; v < std::min(most, values.size()); ++v) {
    list += (v == 0 ? "" : " ") + std::to_string(values[v]);
  }
  return values.size() <= most ? "[" + list + "]"
                               : text("[", list, " .. ", values.size(), " in all]");
}

inline std::string listed(const std::vector<Rank>& ranks) {
  std::vector<std::int64_t> values;
  for (const Rank& r : ranks) values.push_back(r.value);
  return listed(values);
}

inline std::string name(const BlockCyclic& l) {
  const auto direction = [](const Cyclic& c) {
    return text(c.block, c.first == c.block ? "" : text(" (first ", c.first, ")"));
  };
  return text(l.rows, " x ", l.columns, " at (", l.first_row, ", ", l.first_column, "), blocks ",
              direction(l.down), " x ", direction(l.across), " on ", l.down.processes, " x ",
              l.across.processes, " ranks ", listed(l.ranks), " from (", l.down.source, ", ",
              l.across.source, "), leading ", l.leading);
}

inline std::string name(const BlockGrid& l) {
  return text(l.row_cuts.back(), " x ", l.column_cuts.back(), " cut at rows ", listed(l.row_cuts),
              " and columns ", listed(l.column_cuts), " on ranks ", listed(l.owners));
}

inline std::string name(const Layout& layout) {
  return std::visit([](const auto& l) { return name(l); }, layout);
}

}  // namespace redblue
