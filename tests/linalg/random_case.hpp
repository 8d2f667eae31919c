// Random sizes, layouts and matrices, the same on every rank, and their comparison.
#pragma once

#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "layout/arrangement.hpp"
#include "linalg/check.hpp"
#include "redblue/error.hpp"
#include "redblue/layout.hpp"
#include "redblue/linalg.hpp"

namespace redblue {

using namespace linalg;
using comm::conjugated;

// The words of memory that a refusal ends in.
inline Words least_named(const Error& refusal) {
  const std::string message = refusal.what();
  return Words(std::stoll(message.substr(message.rfind(' ') + 1)));
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

template <class T>
using Real = decltype(std::abs(T{}));

// A matrix in its layout: this rank's array, and what stands where in op of it.
template <class T>
struct Spread {
  std::vector<T> values;
  std::vector<layout::Patch> patches;  // of the matrix as stored
};

template <class T>
Spread<T> spread(const Layout& layout, const comm::Communicator& world, std::uint64_t seed) {
  const auto me = static_cast<std::size_t>(world.rank().value);
  Spread<T> s;
  s.patches = layout::arrangement(layout, world.size()).of_rank[me];
  s.values = random_array<T>(s.patches, array_words(layout, world.rank()), seed);
  return s;
}

// Words of the array between the columns, which are the caller's affair.
template <class T>
std::int64_t gaps(const Spread<T>& s) {
  std::int64_t words = static_cast<std::int64_t>(s.values.size());
  for (const layout::Patch& p : s.patches) words -= p.size();
  return words;
}

// op of the random matrix `seed`, rows x columns, whole.
template <class T>
std::vector<T> whole(std::uint64_t seed, Op op, std::int64_t rows, std::int64_t columns) {
  std::vector<T> values;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const T x = op == Op::none ? random_number<T>(seed, i, j) : random_number<T>(seed, j, i);
      values.push_back(op == Op::conjugate_transpose ? conjugated(x) : x);
    }
  }
  return values;
}

// Whether `after` holds `wanted` in this part of the patches and is `before`, bit by bit,
// elsewhere.
template <class T>
bool holds(const Spread<T>& before, const std::vector<T>& after, const std::vector<T>& wanted,
           std::int64_t rows, double tolerance, layout::Part part = layout::Part::all) {
  std::vector<bool> inside(after.size());
  bool right = true;
  layout::for_each_element(before.patches, [&](std::int64_t row, std::int64_t column,
                                               std::int64_t place) {
    if (part == layout::Part::lower ? row < column : part == layout::Part::upper && row > column) {
      return;
    }
    const auto at = static_cast<std::size_t>(place);
    inside[at] = true;
    const double off = std::abs(after[at] - wanted[static_cast<std::size_t>(row + column * rows)]);
    right = right && off <= tolerance;  // false for what is not a number
  });
  for (std::size_t x = 0; x < after.size(); ++x) {
    if (!inside[x] && std::memcmp(&after[x], &before.values[x], sizeof(T)) != 0) right = false;
  }
  return right;
}

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

inline Layout stored(Dice& dice, Op op, std::int64_t rows, std::int64_t columns, int ranks,
                     Rank me) {
  return op == Op::none ? random_layout(dice, rows, columns, ranks, me)
                        : random_layout(dice, columns, rows, ranks, me);
}

inline std::int64_t random_size(Dice& dice) {
  if (dice.one_in(12)) return dice.between(0, 1);
  return dice.between(1, dice.one_in(4) ? 400 : 70);
}

}  // namespace redblue
