// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/cholesky/grid_steps.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "decomposition/cost.hpp"

namespace redblue {

CholeskyGridSteps::CholeskyGridSteps(const CholeskyDecomposition& d)
    : down_{d.n, d.block, d.grid_rows},
      across_{d.n, d.block, d.grid_columns},
      both_{d.n, d.block, std::lcm(d.grid_rows, d.grid_columns)} {}

Range CholeskyGridSteps::rows_needed(int row, int column, std::int64_t step) const {
  const std::int64_t first = across_.next_block(column, step);
  if (first >= count()) return {};
  const Range rows{down_.before(row, first), down_.size(row)};
  return rows.size() > 0 ? rows : Range{};
}

int CholeskyGridSteps::meeting(int row, int column) const {
  for (int c = row; c < both_.classes; c += down_.classes) {
    if (c % across_.classes == column) return c;
  }
  return -1;
}

Range CholeskyGridSteps::columns_needed(int row, int column, int other, std::int64_t step) const {
  const int c = meeting(other, column);
  if (c < 0 || rows_needed(row, column, step).size() == 0) return {};
  const std::int64_t first = both_.next_block(c, step);
  const std::int64_t end = down_.last(row) + 1;  // no row is left below these
  return first < end ? Range{first, end} : Range{};
}

std::int64_t CholeskyGridSteps::height(const Range& blocks) const {
  if (blocks.size() <= 0) return 0;
  const int c = both_.of_block(blocks.begin);
  return both_.before(c, blocks.end) - both_.before(c, blocks.begin);
}

CholeskyGridBuffers grid_buffers(const CholeskyDecomposition& d, std::int64_t rows,
                                 std::int64_t columns) {
  constexpr std::int64_t wide = 64;  // columns that make a multiplication efficient
  CholeskyGridBuffers buffers;
  buffers.leading = d.block * std::max<std::int64_t>(1, wide / d.block);
  if (d.n <= d.block) return buffers;  // one rank has it all
  buffers.square = d.block * d.block;
  buffers.triangle = d.block * (d.block + 1) / 2;
  if (buffers.leading > d.block) buffers.sent = buffers.received = rows * d.block;
  buffers.received_columns = columns * d.block;
  buffers.factors = (rows + columns) * buffers.leading;
  return buffers;
}

namespace {

// What a rank receives in all steps.
struct Received {
  std::int64_t words = 0;
  std::int64_t messages = 0;

  void add(std::int64_t more) {
    words += more;
    messages += more > 0 ? 1 : 0;
  }
};

Received received(const CholeskyGridSteps& steps, int row, int column) {
  Received all;
  for (std::int64_t k = 0; k < steps.count(); ++k) {
    const std::int64_t width = steps.down().block_size(k);
    const bool solves = steps.across().of_block(k) == column;
    if (solves && steps.needs_diagonal(row, k)) all.add(width * (width + 1) / 2);
    if (!solves) all.add(steps.rows_needed(row, column, k).size() * width);
    for (int other = 0; other < steps.down().classes; ++other) {
      if (other == row) continue;
      all.add(steps.height(steps.columns_needed(row, column, other, k)) * width);
    }
  }
  return all;
}

// Multiplications of a rank.
struct Work {
  double all = 0;      // one for each element and column before it
  double updates = 0;  // of elements below the diagonal, with columns of blocks before theirs
};

Work work_of(const CholeskyGridSteps& steps, int row, int column) {
  Work work;
  for (std::int64_t j = column; j < steps.count(); j += steps.across().classes) {
    const auto width = static_cast<double>(steps.across().block_size(j));
    const auto before = static_cast<double>(j * steps.across().block);
    const auto below = static_cast<double>(steps.down().after(row, j));
    work.all += below * width * (before + (width - 1) / 2);
    work.updates += below * width * before;
    if (steps.down().of_block(j) != row) continue;
    work.all += width * (width + 1) / 2 * before + (width * width * width - width) / 6;
    work.updates += width * (width - 1) / 2 * before;
  }
  return work;
}

Work busiest(const CholeskyDecomposition& d) {
  const CholeskyGridSteps steps(d);
  Work most;
  for (int row = 0; row < d.grid_rows; ++row) {
    for (int column = 0; column < d.grid_columns; ++column) {
      const Work rank = work_of(steps, row, column);
      most = {std::max(most.all, rank.all), std::max(most.updates, rank.updates)};
    }
  }
  return most;
}

}  // namespace

double updates_in_place(const CholeskyDecomposition& d) {
  return busiest(d).updates;
}

Cost cost_in_place(const CholeskyDecomposition& d, const Machine& machine) {
  const CholeskyGridSteps steps(d);
  Cost cost;
  for (int row = 0; row < d.grid_rows; ++row) {
    for (int column = 0; column < d.grid_columns; ++column) {
      const Received rank = received(steps, row, column);
      cost.words = std::max(cost.words, Words(rank.words));
      cost.mean_words += static_cast<double>(rank.words) / d.ranks;
      cost.messages = std::max(cost.messages, Messages(rank.messages));
    }
  }
  cost.work = busiest(d).all;
  const std::int64_t rows = steps.down().size(0);
  const std::int64_t columns = steps.across().size(0);
  cost.resident = Words(rows * columns);
  cost.memory = cost.resident + Words(grid_buffers(d, rows, columns).total());
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

}  // namespace redblue
