// SPDX-License-Identifier: BSD-3-Clause
// Inverses on a grid: choice and cost.
#include "decomposition/inverse/inverse.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "decomposition/cost.hpp"
#include "decomposition/request.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

constexpr std::int64_t largest_block = 64;

const char* name_of(InverseKernel kernel) {
  switch (kernel) {
    case InverseKernel::triangle:
      return "inverse of a triangle";
    case InverseKernel::square:
      return "square of a triangle";
    case InverseKernel::cholesky:
      return "inverse from Cholesky factors";
    case InverseKernel::two_sided_solve:
      return "two-sided solve";
    case InverseKernel::two_sided_product:
      return "two-sided product";
    default:
      return "inverse from LU factors";
  }
}

struct RankCost {
  std::int64_t words = 0;
  std::int64_t messages = 0;
  double work = 0;

  void receive(std::int64_t more) {
    if (more == 0) return;
    words += more;
    ++messages;
  }
};

// Costs of the ranks of a grid, in turn.
class GridCost {
 public:
  GridCost(const InverseSteps& steps, std::vector<RankCost>& ranks, bool transposed)
      : steps_(steps), ranks_(ranks), transposed_(transposed) {}

  void add_inverse();
  void add_square();
  void add_solution();
  void add_two_sided_solve();
  void add_two_sided_product();

 private:
  RankCost& at(int r, int c) {
    const int row = transposed_ ? c : r;
    const int column = transposed_ ? r : c;
    const int columns = transposed_ ? steps_.down.classes : steps_.across.classes;
    return ranks_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(column)];
  }
  template <class F>
  void for_all(F f) {
    for (std::int64_t k = 0; k < steps_.count(); ++k) {
      for (int r = 0; r < steps_.down.classes; ++r) {
        for (int c = 0; c < steps_.across.classes; ++c) {
          f(k, steps_.down.block_size(k), r, c);
        }
      }
    }
  }

  // Indices that lie in blocks first .. end - 1 of row class r and of column class c.
  std::int64_t shared_indices(int r, int c, std::int64_t first, std::int64_t end) const {
    std::int64_t indices = 0;
    for (const std::int64_t b : steps_.common_blocks(r, c, first, end)) {
      indices += steps_.down.block_size(b);
    }
    return indices;
  }

  const InverseSteps& steps_;
  std::vector<RankCost>& ranks_;
  bool transposed_;
};

void GridCost::add_inverse() {
  for_all([this](std::int64_t k, std::int64_t width, int r, int c) {
    RankCost& rank = at(r, c);
    const bool row = steps_.down.of_block(k) == r;
    const bool column = steps_.across.of_block(k) == c;
    const std::int64_t before = steps_.columns_before(c, k);
    if (row && !column && before > 0) rank.receive(width * (width + 1) / 2);
    const auto wide = static_cast<double>(width);
    if (row) rank.work += wide * wide / 2 * static_cast<double>(before);
    if (row && column) rank.work += wide * wide * wide / 2;
    if (!steps_.updates_inverse(r, c, k)) return;
    const std::int64_t rows = steps_.rows_after(r, k);
    const std::int64_t columns = steps_.columns_until(c, k);
    if (!row) rank.receive(width * columns);
    if (!column) rank.receive(width * rows);
    rank.work += wide * static_cast<double>(rows) * static_cast<double>(columns);
  });
}

void GridCost::add_square() {
  for_all([this](std::int64_t k, std::int64_t width, int r, int c) {
    if (!steps_.updates_square(r, c, k)) return;
    RankCost& rank = at(r, c);
    if (steps_.down.of_block(k) != r) rank.receive(width * steps_.columns_until(c, k));
    for (int from = 0; from < steps_.across.classes; ++from) {
      if (from == c) continue;
      rank.receive(width * shared_indices(r, from, 0, k + 1));
    }
    for (std::int64_t j = c; j <= k; j += steps_.across.classes) {
      const auto wide = static_cast<double>(width * steps_.across.block_size(j));
      rank.work += wide * static_cast<double>(steps_.rows_until(r, k) - steps_.rows_until(r, j));
      if (steps_.down.of_block(j) == r) {
        rank.work += wide * static_cast<double>(steps_.down.block_size(j)) / 2;
      }
    }
  });
}

void GridCost::add_solution() {
  for_all([this](std::int64_t k, std::int64_t width, int r, int c) {
    RankCost& rank = at(r, c);
    const bool row = steps_.down.of_block(k) == r;
    const bool column = steps_.across.of_block(k) == c;
    const std::int64_t rows = steps_.down.size(r);
    const auto wide = static_cast<double>(width);
    if (column && rows > 0) {
      if (!row) rank.receive(width * (width - 1) / 2);
      rank.work += wide * wide / 2 * static_cast<double>(rows);
    }
    if (!steps_.updates_solution(r, c, k)) return;
    const std::int64_t before = steps_.columns_before(c, k);
    if (!column) rank.receive(width * rows);
    if (!row) rank.receive(width * before);
    rank.work += wide * static_cast<double>(rows) * static_cast<double>(before);
  });
}

void GridCost::add_two_sided_solve() {
  for_all([this](std::int64_t k, std::int64_t width, int r, int c) {
    RankCost& rank = at(r, c);
    const bool row = steps_.down.of_block(k) == r;
    const bool column = steps_.across.of_block(k) == c;
    const std::int64_t before = steps_.columns_before(c, k);
    const std::int64_t rows = steps_.rows_after(r, k);
    const std::int64_t behind = steps_.columns_after(c, k);
    const auto wide = static_cast<double>(width);
    if (row && !column && before > 0) rank.receive(width * (width + 1) / 2);
    if (column && !row && rows > 0) rank.receive(width * (width + 1));
    if (row) rank.work += wide * wide / 2 * static_cast<double>(before);
    if (column) rank.work += wide * wide * 1.5 * static_cast<double>(rows);
    if (row && column) rank.work += wide * wide * wide;
    if (rows == 0 || before + behind == 0) return;
    if (!row) rank.receive(width * before);
    if (!column) rank.receive(width * rows * (behind > 0 ? 2 : 1));
    rank.work += wide * static_cast<double>(rows) * static_cast<double>(before);
    if (behind == 0) return;
    for (int from = 0; from < steps_.down.classes; ++from) {
      if (from == r && column) continue;
      rank.receive(2 * width * shared_indices(from, c, k + 1, steps_.count()));
    }
    const std::int64_t next =
        k + 1 +
        (c - (k + 1) % steps_.across.classes + steps_.across.classes) % steps_.across.classes;
    for (std::int64_t j = next; j < steps_.count(); j += steps_.across.classes) {
      rank.work += 2 * wide * static_cast<double>(steps_.across.block_size(j)) *
                   static_cast<double>(steps_.rows_after(r, j - 1));
    }
  });
}

void GridCost::add_two_sided_product() {
  for_all([this](std::int64_t k, std::int64_t width, int r, int c) {
    RankCost& rank = at(r, c);
    const bool row = steps_.down.of_block(k) == r;
    const bool column = steps_.across.of_block(k) == c;
    const std::int64_t before = steps_.columns_before(c, k);
    const std::int64_t above = steps_.rows_before(r, k);
    const std::int64_t below = steps_.rows_after(r, k);
    const auto wide = static_cast<double>(width);
    if (row && !column && before > 0) rank.receive(width * (width + 1));
    if (column && !row && below > 0) rank.receive(width * (width + 1) / 2);
    if (row) rank.work += wide * wide * 1.5 * static_cast<double>(before);
    if (column) rank.work += wide * wide / 2 * static_cast<double>(below);
    if (row && column) rank.work += wide * wide * wide;
    if (before == 0 || above + below == 0) return;
    if (!row) rank.receive(width * before * (above > 0 ? 2 : 1));
    if (!column) rank.receive(width * below);
    rank.work += wide * static_cast<double>(below) * static_cast<double>(before);
    if (above == 0) return;
    for (int from = 0; from < steps_.across.classes; ++from) {
      if (from == c && row) continue;
      rank.receive(2 * width * shared_indices(r, from, 0, k));
    }
    for (std::int64_t j = c; j < k; j += steps_.across.classes) {
      rank.work += 2 * wide * static_cast<double>(steps_.across.block_size(j)) *
                   static_cast<double>(above - steps_.rows_before(r, j));
    }
  });
}

InverseDecomposition transposed(InverseDecomposition d) {
  std::swap(d.grid_rows, d.grid_columns);
  return d;
}

// About what the busiest rank of a grid receives.
double estimate(const InverseDecomposition& d) {
  const double rows = d.grid_rows;
  const double columns = d.grid_columns;
  return (columns - 1) / (rows * columns) + (rows - 1) / (rows * columns);
}

}  // namespace

std::string InverseDecomposition::name() const {
  return grid_name(1, grid_rows, grid_columns, block);
}

std::vector<std::int64_t> InverseSteps::common_blocks(int r, int c, std::int64_t first,
                                                      std::int64_t end) const {
  std::vector<std::int64_t> result;
  const std::int64_t period = std::lcm<std::int64_t>(down.classes, across.classes);
  for (std::int64_t b = r; b < std::min(period, end); b += down.classes) {
    if (across.of_block(b) != c) continue;
    const std::int64_t skipped = std::max<std::int64_t>(0, (first - b + period - 1) / period);
    for (std::int64_t i = b + skipped * period; i < end; i += period) result.push_back(i);
    break;  // one in every period
  }
  return result;
}

InverseSteps steps_of(const InverseDecomposition& d) {
  return {{d.n, d.block, d.grid_rows}, {d.n, d.block, d.grid_columns}};
}

Cost cost_of(const InverseDecomposition& d, const Machine& machine) {
  const std::size_t used =
      static_cast<std::size_t>(d.grid_rows) * static_cast<std::size_t>(d.grid_columns);
  std::vector<RankCost> ranks(used);
  const bool lu = d.kernel == InverseKernel::lu;
  const bool upper = lu || d.upper;
  const InverseSteps triangle = steps_of(upper ? transposed(d) : d);
  GridCost sweeps(triangle, ranks, upper);
  const bool solve = d.kernel == InverseKernel::two_sided_solve;
  const bool product = d.kernel == InverseKernel::two_sided_product;
  const bool two_sided = solve || product;
  if (solve) sweeps.add_two_sided_solve();
  if (product) sweeps.add_two_sided_product();
  if (d.kernel != InverseKernel::square && !two_sided) sweeps.add_inverse();
  if (d.kernel == InverseKernel::square || d.kernel == InverseKernel::cholesky) sweeps.add_square();
  const InverseSteps whole = steps_of(d);
  if (lu) GridCost(whole, ranks, false).add_solution();
  Cost cost;
  for (const RankCost& rank : ranks) {
    cost.mean_words += static_cast<double>(rank.words) / d.ranks;
    cost.words = std::max(cost.words, Words(rank.words));
    cost.messages = std::max(cost.messages, Messages(rank.messages));
    cost.work = std::max(cost.work, rank.work);
  }
  const std::int64_t rows = whole.down.size(0);
  const std::int64_t columns = whole.across.size(0);
  // the matrix on its grid; of lu a copy of L, which the exchanged columns replace; of two-sided
  // kernels the triangle
  cost.resident = Words(rows * columns * (lu || two_sided ? 2 : 1));
  const std::int64_t panels = d.block * ((two_sided ? 9 : 4) * (rows + columns) + 6 * d.block);
  const auto all = static_cast<std::int64_t>(used);
  cost.memory = cost.resident + Words(std::max(panels, rows * columns + d.n * d.n / all));
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

InverseDecomposition choose_inverse(const InverseRequest& request, const FactorOptions& options) {
  const std::string what = name_of(request.kernel);
  if (request.n < 0) {
    throw Error(what + " of order " + std::to_string(request.n), "a negative size",
                "use 0 or more");
  }
  check_ranks(what, request.ranks);
  check_matrix(what, request.n, request.n);
  check_block(what, options.block, request.n);
  std::vector<std::pair<double, InverseDecomposition>> candidates;
  for (int rows = 1; rows <= request.ranks; ++rows) {
    const int columns = request.ranks / rows;
    if (std::int64_t{4} * rows * columns < std::int64_t{3} * request.ranks) continue;
    const std::int64_t block = options.block.value_or(
        suitable_block(request.n, std::max(rows, columns), largest_block, 4));
    const InverseDecomposition d{request.kernel, request.upper, request.n, request.ranks,
                                 block,          rows,          columns};
    candidates.emplace_back(estimate(d), d);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  constexpr std::size_t compared = 6;
  if (!options.memory && candidates.size() > compared) candidates.resize(compared);
  Choice<InverseDecomposition> choice(options.objective, options.memory);
  for (const auto& [words, d] : candidates) choice.offer(d, cost_of(d, options.machine));
  return choice.take(what);
}

}  // namespace redblue
