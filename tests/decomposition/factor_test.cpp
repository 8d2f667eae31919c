// SPDX-License-Identifier: BSD-3-Clause
// Who does what in factorizations, against counting it out.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "decomposition/cholesky/cholesky.hpp"
#include "decomposition/cyclic_classes.hpp"
#include "decomposition/lu/pivot_columns.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

TEST(CyclicClasses, LastBlockAndColumnStride) {
  for (const std::int64_t extent : {0, 1, 7, 8, 40, 41}) {
    for (int classes = 1; classes <= 7; ++classes) {
      const CyclicClasses rows{extent, 4, classes};
      for (int c = 0; c < classes; ++c) {
        std::int64_t last = -1;
        for (std::int64_t b = 0; b < rows.blocks(); ++b) {
          if (rows.of_block(b) == c) last = b;
        }
        EXPECT_EQ(rows.last(c), last);
      }
    }
  }
  for (std::int64_t rows = 0; rows < 3000; ++rows) {
    EXPECT_GE(column_stride(rows), rows);
    EXPECT_LT(column_stride(rows), rows + 16);
    if (rows >= 128) {
      EXPECT_EQ(column_stride(rows) % 16, 8);
    }
  }
}

// Slices cut the columns without gaps, group by group, and fit the buffers.
TEST(PivotColumns, SlicesShareAllColumnsAndFitTheBuffers) {
  constexpr std::int64_t block = 6;
  for (int grid_rows = 1; grid_rows <= 5; ++grid_rows) {
    for (int replicas = 1; replicas <= 4; ++replicas) {
      const PivotColumns shares = {grid_rows, replicas};
      for (std::int64_t across = 0; across <= 45; ++across) {
        const PivotColumns::Buffers buffers = shares.buffers(block, across);
        std::int64_t next = 0;
        std::vector<std::int64_t> of_replica(static_cast<std::size_t>(replicas));
        for (int r = 0; r < grid_rows; ++r) {
          EXPECT_EQ(shares.group(across, r).begin, next);
          for (int l = 0; l < replicas; ++l) {
            const Range slice = shares.slice(across, l, r);
            EXPECT_EQ(slice.begin, next);
            next = slice.end;
            of_replica[static_cast<std::size_t>(l)] += slice.size();
            if (replicas > 1) {
              EXPECT_LE(block * slice.size(), buffers.slice);
            }
          }
          EXPECT_EQ(shares.group(across, r).end, next);
        }
        EXPECT_EQ(next, across);
        for (int l = 0; l < replicas; ++l) {
          EXPECT_EQ(shares.of_replica(across, l), of_replica[static_cast<std::size_t>(l)]);
          EXPECT_LE((replicas - 1) * block * shares.of_replica(across, l), buffers.received);
        }
        EXPECT_LE(block * across, buffers.rows);
      }
    }
  }
}

TEST(DelayedPivots, SmallStepsOnlyAndAQuarterOfTheMatrixAtMost) {
  EXPECT_EQ(delayed_pivots(4096, 4096, 64), 0);
  EXPECT_EQ(delayed_pivots(60, 60, 4), 0);
  for (const std::int64_t chunk : {1, 2, 5, 16, 32}) {
    const std::int64_t most = delayed_pivots(1000, 700, chunk);
    EXPECT_GT(most, chunk);
    EXPECT_EQ(most % chunk, 0);
    EXPECT_LE(4 * most * (1000 + 700), 1000 * 700);
  }
}

// A rank needs a row block's panel rows where it pairs it with a row block of which rows are left.
TEST(CholeskySteps, NeedersAreThoseWithAPairToUpdate) {
  for (const auto& [n, ranks] : {std::pair{100, 4}, std::pair{150, 7}, std::pair{90, 13}}) {
    FactorOptions options;
    options.block = 8;
    const CholeskyDecomposition d = choose_cholesky(n, ranks, options);
    const CholeskySteps steps(d);
    std::size_t needed = 0;
    for (std::int64_t t = 0; t < steps.count(); ++t) {
      for (int p = 0; p < d.row_blocks; ++p) {
        std::vector<int> wanted;
        for (std::size_t r = 0; r < d.pairs.size(); ++r) {
          const bool needs =
              std::any_of(d.pairs[r].begin(), d.pairs[r].end(), [&](const auto& pair) {
                const auto& [i, j] = pair;
                return (i == p || j == p) && steps.rows().after(i, t) > 0 &&
                       steps.rows().after(j, t) > 0;
              });
          if (needs) wanted.push_back(static_cast<int>(r));
        }
        std::vector<int> found = steps.needers(p, t);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, wanted) << "step " << t << ", point " << p;
        needed += wanted.size();
      }
    }
    EXPECT_GT(needed, 0U) << n << " on " << ranks;
  }
}

// Copies of a row block's rows come together in one replica, each replica's turn alike, and
// replicas share a step's columns.
// Every element of A behind a step is updated once, those of the next block column before the rest.
TEST(CholeskySteps, LookAheadUpdatesTheNextPanelFirst) {
  for (const int row_blocks : {1, 2, 3, 5}) {
    CholeskyDecomposition d{37, 1, 4, row_blocks, {}, {{}}, 1};
    for (int i = 0; i < row_blocks; ++i) {
      for (int j = 0; j <= i; ++j) d.pairs.front().emplace_back(i, j);
    }
    const CholeskySteps steps(d);
    const CyclicClasses& rows = steps.rows();
    // of a row block's rows behind a step, one is this block's
    const auto block = [&rows](int c, std::int64_t step, std::int64_t left) {
      const std::int64_t position = rows.before(c, step + 1) + left;
      return position / rows.block * rows.classes + c;
    };
    for (std::int64_t k = 0; k < steps.count(); ++k) {
      std::map<std::tuple<int, int, std::int64_t, std::int64_t>, int> times;
      for (const bool ahead : {true, false}) {
        for (const auto& pair : d.pairs.front()) {
          for (const CholeskySteps::Update& u : steps.updates(pair, k, ahead)) {
            for (std::int64_t r = u.down.begin; r < u.down.end; ++r) {
              for (std::int64_t c = u.across.begin; c < u.across.end; ++c) {
                if (u.triangle && r < c) continue;
                ++times[{pair.first, pair.second, r, c}];
                const std::int64_t first =
                    std::min(block(pair.first, k, r), block(pair.second, k, c));
                EXPECT_EQ(first == k + 1, ahead) << row_blocks << ", step " << k;
              }
            }
          }
        }
      }
      std::int64_t elements = 0;
      for (const auto& [i, j] : d.pairs.front()) {
        const std::int64_t down = rows.after(i, k);
        elements += i == j ? down * (down + 1) / 2 : down * rows.after(j, k);
      }
      EXPECT_EQ(static_cast<std::int64_t>(times.size()), elements) << row_blocks << ", step " << k;
      for (const auto& [element, count] : times) EXPECT_EQ(count, 1);
    }
  }
}

TEST(CholeskySteps, LayersTakeTurnsAndShareColumns) {
  FactorOptions options;
  options.block = 8;
  for (const int replicas : {1, 2, 3, 5}) {
    options.replicas = replicas;
    const CholeskyDecomposition d = choose_cholesky(400, 13 * replicas, options);
    ASSERT_EQ(d.replicas, replicas);
    const CholeskySteps steps(d);
    std::vector<std::int64_t> words(static_cast<std::size_t>(replicas));
    std::int64_t all = 0;
    for (std::int64_t t = 0; t < steps.count(); ++t) {
      std::int64_t columns = 0;
      for (int l = 0; l < replicas; ++l) columns += steps.chunk(t, l).size();
      EXPECT_EQ(columns, steps.rows().block_size(t));
      for (int p = 0; p < d.row_blocks; ++p) {
        const int solver = steps.solver(p, t);
        EXPECT_EQ(solver / steps.members(), steps.home(p, t));
        EXPECT_EQ(solver % steps.members(), steps.owner(p, steps.rows().of_block(t)));
        words[static_cast<std::size_t>(steps.home(p, t))] += steps.panel_words(p, t);
        all += steps.panel_words(p, t);
      }
    }
    EXPECT_EQ(all, 400 * 401 / 2);
    for (const std::int64_t w : words) {
      EXPECT_NEAR(static_cast<double>(w * replicas) / static_cast<double>(all), 1, 0.05);
    }
  }
}

// One of two ranks alone would move nothing.
TEST(CholeskyCost, WorksOnBothOfTwoRanks) {
  for (const std::int64_t n : {100, 1200, 4096}) {
    const CholeskyDecomposition d = choose_cholesky(n, 2, {});
    ASSERT_EQ(d.pairs.size(), 2U);
    EXPECT_FALSE(d.pairs[0].empty() || d.pairs[1].empty()) << n;
  }
}

// A covering by more points has fewer words, and blocks so small that there are several times the
// messages.
TEST(CholeskyCost, TakesFewWordsMoreForHalfTheMessages) {
  for (const auto& [n, ranks] : {std::pair(800, 9), std::pair(800, 8), std::pair(4096, 8)}) {
    const Cost chosen = cost_of(choose_cholesky(n, ranks, {}), {});
    for (const std::int64_t block : {16, 32, 96}) {
      FactorOptions options;
      options.block = block;
      const Cost other = cost_of(choose_cholesky(n, ranks, options), {});
      EXPECT_LE(10 * chosen.words.value, 12 * other.words.value) << n << " " << block;
    }
    EXPECT_LT(chosen.messages.value, n / 8) << n << " on " << ranks;
  }
}

// Blocks that give every rank a dozen have the fewest words; larger ones have half the messages.
TEST(LuCost, TakesFewWordsMoreForHalfTheMessages) {
  for (const auto& [n, ranks] : {std::pair(800, 3), std::pair(800, 6), std::pair(1600, 9)}) {
    const LuDecomposition chosen = choose_lu(n, n, ranks, {});
    LuDecomposition smaller = chosen;
    smaller.block /= 2;
    const Cost cost = cost_of(chosen, {});
    const Cost other = cost_of(smaller, {});
    EXPECT_GT(cost.words, other.words) << n << " on " << ranks;
    EXPECT_LE(10 * cost.words.value, 11 * other.words.value) << n << " on " << ranks;
    EXPECT_LE(2 * cost.messages.value, other.messages.value) << n << " on " << ranks;
  }
}

// From a few dozen ranks on copies move less than they hold; few ranks have none.
TEST(CholeskyCost, LayersWhereTheyPay) {
  EXPECT_EQ(choose_cholesky(4096, 16, {}).replicas, 1);
  FactorOptions flat;
  flat.replicas = 1;
  for (const int ranks : {64, 256}) {
    const CholeskyDecomposition d = choose_cholesky(4096, ranks, {});
    const Cost cost = cost_of(d, {});
    const Cost one = cost_of(choose_cholesky(4096, ranks, flat), {});
    EXPECT_GT(d.replicas, 1);
    EXPECT_LT(cost.words.value + (d.replicas - 1) * 4096 * 4096 / (2 * ranks), one.words.value);
    FactorOptions tight;
    tight.memory = one.memory;
    EXPECT_LE(cost_of(choose_cholesky(4096, ranks, tight), {}).memory, one.memory);
  }
}

// What the busiest rank of a grid receives when pivots come up in this order.
std::int64_t busiest(const LuDecomposition& d, const std::vector<std::int64_t>& order) {
  const CyclicClasses rows{d.m, d.block, d.grid_rows};
  const CyclicClasses columns{d.n, d.block, d.grid_columns};
  const int rounds = std::bit_width(static_cast<unsigned>(d.grid_rows)) - 1;
  std::vector<std::int64_t> left(static_cast<std::size_t>(d.grid_rows));
  for (int r = 0; r < d.grid_rows; ++r) left[static_cast<std::size_t>(r)] = rows.size(r);
  std::vector<std::int64_t> words(static_cast<std::size_t>(d.grid_rows * d.grid_columns));
  for (std::int64_t t = 0; t < columns.blocks(); ++t) {
    const std::int64_t w = columns.block_size(t);
    std::vector<std::int64_t> taken(left.size());
    for (std::int64_t i = t * d.block; i < t * d.block + w; ++i) {
      ++taken[static_cast<std::size_t>(
          rows.of_block(order[static_cast<std::size_t>(i)] / d.block))];
    }
    for (std::size_t r = 0; r < left.size(); ++r) {
      left[r] -= taken[r];
      for (int c = 0; c < d.grid_columns; ++c) {
        std::int64_t& sum =
            words[r * static_cast<std::size_t>(d.grid_columns) + static_cast<std::size_t>(c)];
        sum += c == columns.of_block(t) ? rounds * (w * w + w) : left[r] * w + w * (w + 1) / 2 + w;
        sum += (w - taken[r]) * columns.after(c, t);
      }
    }
  }
  return *std::max_element(words.begin(), words.end());
}

// In seconds: larger blocks where steps would be millions, and no more ranks than help.
TEST(FactorPlans, LargeMatricesAndManyRanksHavePlans) {
  constexpr std::int64_t billion = 1'000'000'000;
  const double n2 = 1e18;
  const LuDecomposition lu = choose_lu(billion, billion, 1000, {});
  EXPECT_LE(static_cast<double>(cost_of(lu, {}).words.value), n2 / std::sqrt(1000));
  const CholeskyDecomposition cholesky = choose_cholesky(billion, 16, {});
  EXPECT_LE(static_cast<double>(cost_of(cholesky, {}).words.value), n2 / 4);
  const TrsmDecomposition trsm = choose_trsm(billion, 1000, 16, {});
  EXPECT_LE(static_cast<double>(cost_of(trsm, {}).words.value), 1e12);
  FactorOptions small_blocks;
  small_blocks.block = 1;
  EXPECT_THROW(choose_lu(billion, billion, 16, small_blocks), Error);
  EXPECT_THROW(choose_cholesky(billion, 16, small_blocks), Error);
  EXPECT_THROW(choose_trsm(billion, 10, 16, small_blocks), Error);
  EXPECT_THROW(choose_lu(4 * billion, billion, 16, {}), Error);
}

TEST(FactorPlans, MoreRanksThanAThousandNeverMoveMore) {
  constexpr std::int64_t n = 600;
  const auto words = [](const auto& d) { return cost_of(d, {}).words.value; };
  std::int64_t lu = words(choose_lu(n, n, 1024, {}));
  std::int64_t cholesky = words(choose_cholesky(n, 1024, {}));
  for (const int ranks : {1025, 3000, 10007, 99991}) {
    const std::int64_t more_lu = words(choose_lu(n, n, ranks, {}));
    const std::int64_t more_cholesky = words(choose_cholesky(n, ranks, {}));
    EXPECT_LE(more_lu, lu) << ranks;
    EXPECT_LE(more_cholesky, cholesky) << ranks;
    lu = more_lu;
    cholesky = more_cholesky;
  }
}

TEST(LuCost, ExpectsWhatRandomPivotsMake) {
  std::mt19937_64 random(7);
  for (const auto& [rows, columns] : {std::pair{4, 4}, std::pair{8, 4}, std::pair{16, 8}}) {
    const LuDecomposition d{1024, 1024, rows * columns, 16, rows, columns, 1};
    std::vector<std::int64_t> order(static_cast<std::size_t>(d.m));
    std::iota(order.begin(), order.end(), 0);
    constexpr int trials = 60;
    double total = 0;
    for (int i = 0; i < trials; ++i) {
      std::shuffle(order.begin(), order.end(), random);
      total += static_cast<double>(busiest(d, order));
    }
    const auto predicted = static_cast<double>(cost_of(d, {}).words.value);
    EXPECT_NEAR(predicted / (total / trials), 1, 0.02) << rows << " x " << columns;
  }
}

// Pivots' rows by doubling: the same words, and a step's g - 1 messages become ceil(log2 g).
TEST(LuCost, DoublingTakesFewerMessagesForTheSameWords) {
  const auto messages = [](LuDecomposition d, Exchange exchange) {
    d.exchange = exchange;
    return cost_of(d, {});
  };
  for (const auto& [rows, columns, stages] :
       {std::tuple{1, 4, 0}, std::tuple{2, 2, 1}, std::tuple{3, 2, 2}, std::tuple{8, 4, 3},
        std::tuple{9, 4, 4}}) {
    for (const int replicas : {1, 2}) {
      const LuDecomposition d{512, 512, rows * columns * replicas, 16, rows, columns, replicas};
      const Cost direct = messages(d, Exchange::direct);
      const Cost doubling = messages(d, Exchange::doubling);
      EXPECT_EQ(direct.words, doubling.words);
      EXPECT_EQ(direct.memory, doubling.memory);
      // in every step with columns behind the panel: all 32 but, at the last grid column, one
      const std::int64_t saved = direct.messages.value - doubling.messages.value;
      EXPECT_GE(saved, (rows - 1 - stages) * 31) << rows << " x " << columns << " x " << replicas;
      EXPECT_LE(saved, (rows - 1 - stages) * 32) << rows << " x " << columns << " x " << replicas;
    }
  }
}

}  // namespace
}  // namespace redblue
