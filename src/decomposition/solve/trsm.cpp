// SPDX-License-Identifier: BSD-3-Clause
// Solving with a triangular matrix on replicas of grids: choice and cost.
#include "decomposition/solve/trsm.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "decomposition/cost.hpp"
#include "decomposition/request.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"

namespace redblue {

std::string TrsmDecomposition::name() const {
  return grid_name(replicas, grid_rows, grid_columns, block) + (rhs_in_place ? ", B in place" : "");
}

namespace {

// Fewer columns than this are not worth a message.
constexpr std::int64_t least_chunk = 8;

int chunks_of(std::int64_t columns, int classes) {
  return static_cast<int>(std::clamp<std::int64_t>(columns / least_chunk, 1, classes));
}

struct RankCost {
  std::int64_t words = 0;
  std::int64_t messages = 0;
  double work = 0;
};

// What the ranks of a replica receive and do.
std::vector<RankCost> costs(const TrsmDecomposition& d, int replica) {
  const TrsmSteps steps(d, replica);
  const int rows = d.grid_rows;
  const int columns = d.grid_columns;
  std::vector<RankCost> ranks(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  const auto at = [&](int row, int column) -> RankCost& {
    return ranks[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                 static_cast<std::size_t>(column)];
  };
  const std::int64_t wide = steps.columns().size();
  for (std::int64_t s = 0; s < steps.count() && wide > 0; ++s) {
    const std::int64_t b = steps.block(s);
    const std::int64_t width = steps.down().block_size(b);
    const int row = steps.down().of_block(b);
    const int column = steps.across().of_block(b);
    int contributors = 0;
    for (int q = 0; q < columns; ++q) contributors += steps.contributes(q, b) ? 1 : 0;
    for (int c = 0; c < steps.chunks(); ++c) {
      const int q = steps.solver(b, c);
      RankCost& solver = at(row, q);
      const int others = contributors - (steps.contributes(q, b) ? 1 : 0);
      solver.words += others * width * steps.chunk(c).size();
      solver.messages += others;
      solver.work +=
          static_cast<double>(width * width / 2) * static_cast<double>(steps.chunk(c).size());
      if (q == column) continue;
      solver.words += width * (width + 1) / 2;
      ++solver.messages;
    }
    for (int k = 0; k < rows; ++k) {
      if (steps.left(k, b) == 0) continue;
      RankCost& rank = at(k, column);
      const int own = k == row ? steps.chunk_of(column, b) : -1;
      rank.words += width * (wide - (own >= 0 ? steps.chunk(own).size() : 0));
      rank.messages += steps.chunks() - (own >= 0 ? 1 : 0);
      rank.work += static_cast<double>(steps.left(k, b) * width) * static_cast<double>(wide);
    }
  }
  return ranks;
}

// Where B stays, what every rank of a grid row receives and does.
struct RowCost {
  std::int64_t words = 0, messages = 0;           // of T, unless it has the block itself
  std::int64_t rows_of_x = 0, messages_of_x = 0;  // of each of its columns
  double work = 0;                                // for each of its columns
};

// Where B stays, what the ranks receive and do.
std::vector<RankCost> costs_with_rhs_in_place(const TrsmDecomposition& d) {
  const TrsmSteps steps(d, 0);
  const auto columns = static_cast<std::size_t>(d.grid_columns);
  std::vector<RowCost> rows(static_cast<std::size_t>(d.grid_rows));
  std::vector<RankCost> ranks(rows.size() * columns);
  for (std::int64_t s = 0; s < steps.count(); ++s) {
    const std::int64_t b = steps.block(s);
    const std::int64_t width = steps.down().block_size(b);
    const auto column = static_cast<std::size_t>(steps.across().of_block(b));
    for (int k = 0; k < d.grid_rows; ++k) {
      const bool solves = k == steps.down().of_block(b);
      const std::int64_t left = steps.left(k, b);
      if (left == 0 && !solves) continue;
      RowCost& row = rows[static_cast<std::size_t>(k)];
      const std::int64_t words = left * width + (solves ? width * (width + 1) / 2 : 0);
      row.words += words;
      ++row.messages;
      if (!d.transposed_grid || solves) {  // a rank of this row has them
        RankCost& owner = ranks[static_cast<std::size_t>(k) * columns + column];
        owner.words -= words;
        --owner.messages;
      }
      row.work += static_cast<double>(left * width + (solves ? width * width / 2 : 0));
      if (solves) continue;
      row.rows_of_x += width;
      ++row.messages_of_x;
    }
  }
  const CyclicClasses sides = rhs_columns(d);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RowCost& row = rows[r / columns];
    const std::int64_t wide = sides.size(static_cast<int>(r % columns));
    RankCost& rank = ranks[r];
    if (wide == 0) {
      rank = {};
      continue;
    }
    rank.words += row.words + row.rows_of_x * wide;
    rank.messages += row.messages + row.messages_of_x;
    rank.work = row.work * static_cast<double>(wide);
  }
  return ranks;
}

}  // namespace

CyclicClasses rhs_columns(const TrsmDecomposition& d) {
  return {d.m, d.block, d.grid_columns};
}

RightLookingBuffers right_looking_buffers(const TrsmDecomposition& d, std::int64_t rows,
                                          std::int64_t columns) {
  const std::int64_t panel = d.block * (d.block + 1) / 2 + d.block * rows;
  return {d.block * d.block, panel, d.transposed_grid ? panel : 0, d.block * columns};
}

TrsmSteps::TrsmSteps(const TrsmDecomposition& d, int replica)
    : down_{d.n, d.block, d.grid_rows},
      across_{d.n, d.block, d.grid_columns},
      backward_(d.backward),
      columns_(round_of({0, d.m}, replica, d.replicas)),
      chunks_(chunks_of(columns_.size(), d.grid_columns)) {}

namespace {

// `like_it`: so many replicas are like the one of these ranks.
void add_ranks(const TrsmDecomposition& d, const std::vector<RankCost>& ranks, double like_it,
               Cost& cost) {
  for (const RankCost& rank : ranks) {
    cost.mean_words += static_cast<double>(rank.words) * like_it / d.ranks;
    cost.words = std::max(cost.words, Words(rank.words));
    cost.messages = std::max(cost.messages, Messages(rank.messages));
    cost.work = std::max(cost.work, rank.work);
  }
}

Cost cost_with_rhs_in_place(const TrsmDecomposition& d) {
  Cost cost;
  add_ranks(d, costs_with_rhs_in_place(d), 1, cost);
  const std::int64_t rows = CyclicClasses{d.n, d.block, d.grid_rows}.size(0);
  const std::int64_t columns = rhs_columns(d).size(0);
  cost.resident = Words(2 * rows * columns);  // X as it comes and as it is solved for
  cost.memory = cost.resident + Words(right_looking_buffers(d, rows, columns).total());
  return cost;
}

Cost cost_with_triangle_in_place(const TrsmDecomposition& d) {
  Cost cost;
  for (const bool wider : {false, true}) {  // a replica of the fewest and one of the most columns
    const auto wide_ones = static_cast<double>(d.m % d.replicas);
    add_ranks(d, costs(d, wider ? d.replicas - 1 : 0), wider ? wide_ones : d.replicas - wide_ones,
              cost);
  }
  const TrsmSteps steps(d, d.replicas - 1);
  const std::int64_t rows = steps.down().size(0);
  const std::int64_t columns = steps.across().size(0);
  const std::int64_t wide = steps.columns().size();
  // the copy of T; X as it comes and as it is solved for
  const std::int64_t right_hand_sides = (rows / d.grid_columns + d.block) * wide;
  cost.resident = Words(rows * columns + 2 * right_hand_sides);
  const std::int64_t chunks = d.block * (wide / steps.chunks() + 1);
  const std::int64_t buffers = rows * wide + 3 * d.block * wide + 2 * d.block * (d.block + 1) +
                               (d.grid_columns + 2) * chunks;
  const std::int64_t ranks = std::int64_t{d.grid_rows} * d.grid_columns * d.replicas;
  const std::int64_t moved =
      std::max(rows * columns + d.n * d.n / ranks, right_hand_sides + d.n * d.m / ranks) +
      2 * (d.n + d.m);
  cost.memory = cost.resident + Words(std::max(buffers, moved));
  return cost;
}

}  // namespace

Cost cost_of(const TrsmDecomposition& d, const Machine& machine) {
  Cost cost = d.rhs_in_place ? cost_with_rhs_in_place(d) : cost_with_triangle_in_place(d);
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

double lower_bound(const TrsmDecomposition& d, std::optional<Words> memory) {
  return trsm_lower_bound(d.n, d.m, d.replicas, {d.ranks, cost_of(d, {}).work, memory});
}

namespace {

// About what the busiest rank receives, the triangle included.
double estimate(const TrsmDecomposition& d) {
  const auto n = static_cast<double>(d.n);
  const auto wide = static_cast<double>(d.m) / d.replicas;
  const double rows = d.grid_rows;
  const double columns = d.grid_columns;
  return n * n / 2 / (rows * columns) + n * wide / rows * (columns - 1) / columns +
         n * wide / columns * (rows - 1) / rows;
}

}  // namespace

std::int64_t triangle_share(const TrsmDecomposition& d) {
  const CyclicClasses down{d.n, d.block, d.grid_rows};
  const CyclicClasses across{d.n, d.block, d.grid_columns};
  std::int64_t most = 0;
  for (int row = 0; row < d.grid_rows; ++row) {
    std::int64_t words = 0;  // of the class's blocks on and below the diagonal, in column class 0
    for (std::int64_t b = row; b < down.blocks(); b += d.grid_rows) {
      const std::int64_t whole = across.before(0, b);
      words += down.block_size(b) * whole;
      if (across.of_block(b) == 0) words += down.block_size(b) * (down.block_size(b) + 1) / 2;
    }
    most = std::max(most, words);
  }
  return most;
}

Cost cost_with_triangle(const TrsmDecomposition& d, const Machine& machine) {
  Cost cost = cost_of(d, machine);
  cost.words += Words(triangle_share(d));
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

TrsmDecomposition choose_trsm_by_cost(std::int64_t n, std::int64_t m, int ranks,
                                      const FactorOptions& options) {
  if (n < 0 || m < 0) {
    throw Error("trsm of " + std::to_string(n) + " x " + std::to_string(m), "a negative size",
                "use 0 or more");
  }
  check_ranks("trsm", ranks);
  check_matrix("trsm", n, n);
  check_matrix("trsm", n, m);
  check_block("trsm", options.block, n);
  std::vector<std::pair<double, TrsmDecomposition>> candidates;
  const auto keep_best = [&candidates](std::size_t count) {
    const auto few = static_cast<std::ptrdiff_t>(std::min(count, candidates.size()));
    std::partial_sort(candidates.begin(), candidates.begin() + few, candidates.end(),
                      [](const auto& a, const auto& b) { return a.first < b.first; });
    candidates.resize(static_cast<std::size_t>(few));
  };
  // on more than a thousand ranks any but a thousand may idle, and the most promising are compared
  const std::int64_t all_work = std::min(ranks, ranks_that_all_work);
  constexpr std::size_t most = 4096;
  constexpr std::size_t promising = 128;
  constexpr std::int64_t most_steps = 1 << 19;
  for (int rows = 1; rows <= ranks; ++rows) {
    for (int columns = 1; columns <= ranks / rows; ++columns) {
      const int replicas = static_cast<int>(
          std::min<std::int64_t>(ranks / (rows * columns), std::max<std::int64_t>(1, m)));
      if (std::int64_t{4} * rows * columns * replicas < 3 * all_work) continue;
      const std::int64_t block =
          options.block.value_or(suitable_block(n, std::max(rows, columns), 64, 4, most_steps));
      const TrsmDecomposition d{n, m, ranks, block, rows, columns, replicas, false};
      candidates.emplace_back(estimate(d), d);
      if (ranks > ranks_that_all_work && candidates.size() > most) keep_best(promising);
    }
  }
  // where memory is short, the best may not fit
  const std::size_t compared = options.memory ? candidates.size() : 6;
  keep_best(compared);
  Choice<TrsmDecomposition> choice(options.objective, options.memory);
  for (const auto& [words, d] : candidates) {
    choice.offer(d, cost_with_triangle(d, options.machine));
  }
  return choice.take("trsm");
}

}  // namespace redblue
