// SPDX-License-Identifier: BSD-3-Clause
// What LU on grids, with rows left where they are, costs.
#include <algorithm>
#include <cmath>
#include <utility>

#include "decomposition/cost.hpp"
#include "decomposition/cyclic_classes.hpp"
#include "decomposition/doubling.hpp"
#include "decomposition/lu/lu_cost.hpp"
#include "decomposition/lu/panel_chain.hpp"
#include "decomposition/lu/pivot_columns.hpp"
#include "decomposition/request.hpp"
#include "redblue/error.hpp"
#include "redblue/factor_model.hpp"

namespace redblue {

std::string LuDecomposition::name() const {
  return grid_name(replicas, grid_rows, grid_columns, block) +
         (exchange == Exchange::doubling ? ", pivots' rows by doubling" : "");
}

namespace {

struct Received {
  double words = 0;
  std::int64_t messages = 0;

  void operator+=(const Received& o) {
    words += o.words;
    messages += o.messages;
  }
};

// One step as the ranks at one place of a grid see it. Shares of the rows are those of one class
// and of one row of the grid, in which the rows of its replicas' classes come together.
struct Place {
  int replica, row;
  double own_share, row_share;
  bool panel, keeper;
  double before, left;  // rows of the matrix still to be eliminated, before and after the step
  double width, chunk;  // pivots, of all replicas and of this one
  double across;        // columns behind the panel
};

Received panel_cost(const LuDecomposition& d, const Place& p) {
  const std::int64_t others = d.replicas - 1;
  const double other_replicas = p.left * (p.row_share - p.own_share) * p.chunk;
  if (!p.panel) {
    return {p.left * p.own_share * p.chunk + p.width * (p.width + 1) / 2 + p.width + other_replicas,
            d.replicas};
  }
  const std::int64_t rounds = tournament_messages(d.grid_rows * d.replicas);
  return {static_cast<double>(rounds) * (p.width * p.width + p.width) +
              static_cast<double>(others) * p.before * p.own_share * p.width + other_replicas,
          rounds + 2 * others};
}

// The stages of linalg/pivot_rows: copies are added up, each slice of columns is solved for, its
// chunks go to their replicas and within these to all.
Received rows_cost(const LuDecomposition& d, const Place& p) {
  if (p.across == 0) return {};
  const std::int64_t others = d.grid_rows - 1;
  const std::int64_t gathers =
      d.exchange == Exchange::doubling ? count_doubling_stages(d.grid_rows) : others;
  if (d.replicas == 1) return {p.width * p.across * (1 - p.row_share), gathers};
  const PivotColumns columns = {d.grid_rows, d.replicas};
  const auto across = static_cast<std::int64_t>(p.across);
  const auto group = static_cast<double>(columns.group(across, p.row).size());
  const auto slice = static_cast<double>(columns.slice(across, p.replica, p.row).size());
  const double other_replicas = d.replicas - 1;
  const auto of_replica = static_cast<double>(columns.of_replica(across, p.replica));
  Received received = {p.width * p.row_share * other_replicas * of_replica +
                           p.width * (1 - p.row_share) * slice + p.chunk * (group - slice) +
                           p.chunk * (p.across - group),
                       others + gathers + 2 * (d.replicas - 1)};
  if (p.keeper) {
    received +=
        {(p.width - p.chunk) * (p.across - slice), std::int64_t{d.grid_rows} * d.replicas - 1};
  }
  return received;
}

// Words by which the busiest of the grid's rows exceeds the rows' even share, expected. Rows come
// up as pivots in an order as good as random: of the first k, class r has p k and a deviation d(k)
// whose covariance is min(k, l) (m - max(k, l)) p (1 - p) / m; integrated twice over the pivots
// that gives the variance here. What a rank receives in excess is proportional to the integral of
// d, of its grid row (L's rows, less what pivots' rows save) and of its own class (panels' copies).
double unevenness(const LuDecomposition& d) {
  const int classes = d.grid_rows * d.replicas;
  if (classes == 1 || d.m == 0) return 0;
  const double row = 1.0 / d.grid_rows;
  const double own = 1.0 / classes;
  const double columns = d.grid_columns;
  const double replicas = d.replicas;
  const double of_row =
      d.replicas == 1 ? 1 : 1 / replicas - (replicas - 1) / (replicas * columns) + own / columns;
  const double of_own = d.replicas == 1 ? 0 : (replicas - 1 - 1 / replicas) / columns;
  const double variance = of_row * of_row * row * (1 - row) + of_own * of_own * own * (1 - own) +
                          2 * of_row * of_own * own * (1 - row);
  const auto m = static_cast<double>(d.m);
  const auto k = static_cast<double>(std::min(d.m, d.n));
  // of the largest of so many normal deviates, to within 0.1
  const double largest = std::sqrt(2 * std::log(d.replicas == 1 ? d.grid_rows : classes)) - 0.6;
  return largest * std::sqrt(variance * k * k * k * (m / 3 - k / 4) / m);
}

// What the ranks that own a class of rows, at a column of the grids, receive and do; pivots are
// taken out of the rows in proportion. Stops early with what has come up until then where
// go_on(cost so far) is false.
template <class GoOn>
Cost traffic_at(const LuDecomposition& d, int row, int column, GoOn go_on) {
  const CyclicClasses rows{d.m, d.block, d.grid_rows * d.replicas};
  const CyclicClasses columns{d.n, d.block, d.grid_columns};
  const CyclicClasses panels{std::min(d.m, d.n), d.block, d.grid_columns};
  const double all = static_cast<double>(std::max<std::int64_t>(1, d.m));
  std::int64_t together = 0;
  for (int r = row % d.grid_rows; r < rows.classes; r += d.grid_rows) together += rows.size(r);
  Place p{};
  p.own_share = static_cast<double>(rows.size(row)) / all;
  p.row_share = static_cast<double>(together) / all;
  Received received;
  double work = 0;
  p.replica = row / d.grid_rows;
  p.row = row % d.grid_rows;
  const auto cost = [&received, &work] {
    Cost so_far;
    so_far.words = Words(static_cast<std::int64_t>(received.words));
    so_far.messages = Messages(received.messages);
    so_far.work = std::floor(work);
    return so_far;
  };
  constexpr std::int64_t asks = 256;  // steps
  for (std::int64_t t = 0; t < panels.blocks(); ++t) {
    if (t % asks == asks - 1 && !go_on(cost())) break;
    const std::int64_t width = panels.block_size(t);
    p.width = static_cast<double>(width);
    p.chunk = static_cast<double>(round_of({0, width}, p.replica, d.replicas).size());
    p.before = static_cast<double>(d.m - t * d.block);
    p.left = p.before - p.width;
    p.panel = panels.of_block(t) == column;
    p.keeper = rows.of_block(t) == row;
    const std::int64_t rest = p.panel ? columns.block_size(t) - width : 0;
    p.across = static_cast<double>(columns.after(column, t) + rest);
    received += panel_cost(d, p);
    received += rows_cost(d, p);
    const double solved = d.replicas == 1 ? p.across : p.across / rows.classes;
    work += p.left * p.row_share * p.chunk * p.across + p.width * p.width * solved / 2 +
            (p.panel ? 2 * p.left * p.own_share * p.width * p.width : 0);
  }
  return cost();
}

// Memory of the same ranks.
Cost storage_at(const LuDecomposition& d, int row, int column) {
  const CyclicClasses rows{d.m, d.block, d.grid_rows * d.replicas};
  const CyclicClasses columns{d.n, d.block, d.grid_columns};
  std::int64_t together = 0;
  for (int r = row % d.grid_rows; r < rows.classes; r += d.grid_rows) together += rows.size(r);
  const std::int64_t upper =
      CyclicClasses{std::min(d.m, d.n), d.block, rows.classes}.size(row) * columns.size(column);
  const std::int64_t storage = column_stride(together) * columns.size(column) + upper;
  const PivotColumns shares = {d.grid_rows, d.replicas};
  std::int64_t buffers = 2 * d.block * (d.block + 1 + rows.size(row)) +
                         shares.buffers(d.block, columns.size(column)).total;
  buffers += delayed_pivots(together, columns.size(column), shares.largest_chunk(d.block)) *
             (column_stride(together) + columns.size(column));
  if (d.replicas > 1) {
    buffers += shares.largest_chunk(d.block) * together +
               d.block * (together + (d.replicas - 1) * rows.size(row));
  }
  const std::int64_t moved =
      2 * (d.m * d.n / (std::int64_t{rows.classes} * d.grid_columns) + d.m + d.n);
  Cost cost;
  cost.resident = Words(storage);
  cost.memory = Words(storage + std::max(buffers, moved));
  return cost;
}

Cost largest(const Cost& a, const Cost& b) {
  Cost cost;
  cost.words = std::max(a.words, b.words);
  cost.messages = std::max(a.messages, b.messages);
  cost.work = std::max(a.work, b.work);
  cost.memory = std::max(a.memory, b.memory);
  cost.resident = std::max(a.resident, b.resident);
  return cost;
}

// Calls f(row, column) for the ranks that may be the busiest: those with the most and the fewest
// rows, in every column.
template <class F>
void for_each_busy_place(const LuDecomposition& d, F f) {
  for (const int r : {0, d.grid_rows * d.replicas - 1}) {
    for (int c = 0; c < d.grid_columns; ++c) f(r, c);
  }
}

}  // namespace

Cost lu_storage(const LuDecomposition& d) {
  Cost cost;
  for_each_busy_place(d, [&](int r, int c) { cost = largest(cost, storage_at(d, r, c)); });
  return cost;
}

Cost lu_cost_while(const LuDecomposition& d, const Machine& machine, Words farther,
                   const std::function<bool(const Cost&)>& go_on) {
  farther += Words(static_cast<std::int64_t>(unevenness(d)));
  Cost found = lu_storage(d);
  const double chain = panel_chain_seconds(d, machine);
  bool going = true;
  const auto with_all = [&](const Cost& so_far) {
    Cost cost = largest(found, so_far);
    cost.words += farther;
    cost.seconds = std::max(chain, predicted_seconds(cost, machine));
    return cost;
  };
  for_each_busy_place(d, [&](int r, int c) {
    if (!going) return;
    const Cost here = traffic_at(d, r, c, [&](const Cost& so_far) {
      going = going && go_on(with_all(so_far));
      return going;
    });
    found = largest(found, here);
    going = going && go_on(with_all({}));
  });
  return with_all({});
}

namespace {

// What all ranks receive together: panel_cost and rows_cost, summed over the places of even shares.
double all_received(const LuDecomposition& d) {
  const double rows = d.grid_rows;
  const double columns = d.grid_columns;
  const double replicas = d.replicas;
  const double rounds = static_cast<double>(tournament_messages(d.grid_rows * d.replicas));
  const std::int64_t pivots = std::min(d.m, d.n);
  double words = 0;
  for (std::int64_t first = 0; first < pivots; first += d.block) {
    const auto width = static_cast<double>(std::min(d.block, pivots - first));
    const auto before = static_cast<double>(d.m - first);
    const double left = before - width;
    const double across = static_cast<double>(d.n - first) - width;
    words += (columns - 1) * (left * width + rows * replicas * (width * (width + 1) / 2 + width));
    words += rows * replicas * rounds * (width * width + width) + (replicas - 1) * before * width +
             left * width * (1 - 1 / replicas);
    if (d.replicas == 1) {
      words += width * across * (rows - 1);
      continue;
    }
    words += width * across *
             ((replicas - 1) + (rows - 1) / rows + rows - 1 / replicas +
              (1 - 1 / replicas) * (1 - 1 / (rows * replicas)));
  }
  return words;
}

}  // namespace

Cost cost_of(const LuDecomposition& d, const Machine& machine) {
  Cost cost = lu_cost_while(d, machine, Words(), [](const Cost&) { return true; });
  cost.mean_words = all_received(d) / d.ranks;
  return cost;
}

}  // namespace redblue
