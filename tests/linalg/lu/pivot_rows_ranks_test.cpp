// SPDX-License-Identifier: BSD-3-Clause
// The pivots' rows of a step, gathered and solved with L of their square, against doing so on one
// rank, on every grid of the ranks and number of replicas.
#include "linalg/lu/pivot_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "comm/random_arrangements.hpp"

namespace redblue::linalg {
namespace {

using comm::Communicator;
using comm::small_number;

// One grid column of an LU factorization: all ranks, class by class of rows. Layers hold copies of
// the matrix that add up to it.
template <class T>
class GridColumn {
 public:
  static constexpr std::int64_t block = 6;
  static constexpr std::int64_t rows = 71;

  GridColumn(const Communicator& world, int grid_rows, int replicas, std::int64_t columns,
             Exchange exchange)
      : world_(world),
        grid_rows_(grid_rows),
        replicas_(replicas),
        columns_(columns),
        mine_((world.rank().value + 1) % world.size()),
        active_({rows, block, grid_rows * replicas}, mine_ % grid_rows, grid_rows),
        delayed_(active_.leading(), columns, 2 * block),
        pivot_rows_(ranks(), mine_,
                    {rows, columns, world.size(), block, grid_rows, 1, replicas, exchange},
                    columns),
        delayed_workspace_(static_cast<std::size_t>(delayed_.workspace())),
        workspace_(static_cast<std::size_t>(pivot_rows_.workspace()), T(1e6)),
        a_(static_cast<std::size_t>(active_.leading() * columns), T(1e6)),
        whole_(static_cast<std::size_t>(rows * columns)) {
    active_.reset();
    delayed_.start(delayed_workspace_.data());
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) {
        for (int l = 0; l < replicas; ++l) whole(i, j) += small_number<T>(l, i, j);
        if (active_.holds(i)) mine(i, j) = small_number<T>(replica(), i, j);
      }
    }
  }

  // The ranks of the communicator, by class; each is not the rank of its own number.
  std::vector<int> ranks() const {
    std::vector<int> all;
    for (int c = 0; c < world_.size(); ++c) {
      all.push_back((c - 1 + world_.size()) % world_.size());
    }
    return all;
  }
  int replica() const { return mine_ / grid_rows_; }
  int row() const { return mine_ % grid_rows_; }
  T& whole(std::int64_t i, std::int64_t j) {
    return whole_[static_cast<std::size_t>(i + j * rows)];
  }
  T& mine(std::int64_t row, std::int64_t column) {
    return a_[static_cast<std::size_t>(active_.storage_row(row) + column * active_.leading())];
  }

  // Delays an update by this replica's part of some pivots; in the whole matrix it is made at
  // once.
  void put_off(std::int64_t pivots, std::int64_t first, std::int64_t seed) {
    const auto l = [&](int replica, std::int64_t row, std::int64_t p) {
      return small_number<T>(seed + 10 * replica, row, p);
    };
    const auto u = [&](int replica, std::int64_t p, std::int64_t column) {
      return small_number<T>(seed + 10 * replica + 5, p, column);
    };
    std::vector<std::vector<T>> lower;
    std::vector<blas::Factor<T>> factors;
    for (int s = 0; s < active_.sections(); ++s) {
      lower.emplace_back();
      for (std::int64_t p = 0; p < pivots; ++p) {
        for (const std::int64_t i : active_.rows(s)) lower.back().push_back(l(replica(), i, p));
      }
      factors.push_back({lower.back().data(), std::max<std::int64_t>(1, active_.count(s))});
    }
    std::vector<T> upper;
    for (std::int64_t j = first; j < columns_; ++j) {
      for (std::int64_t p = 0; p < pivots; ++p) upper.push_back(u(replica(), p, j));
    }
    delayed_.add(active_.runs(), factors, pivots, first, {upper.data(), pivots});
    for (std::int64_t j = first; j < columns_; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) {
        for (int copy = 0; copy < replicas_; ++copy) {
          for (std::int64_t p = 0; p < pivots; ++p) whole(i, j) -= l(copy, i, p) * u(copy, p, j);
        }
      }
    }
  }

  // A step with these pivots, in the columns from `first` on, whose rows of U class `owner` keeps.
  void step(const std::vector<std::int64_t>& pivots, std::int64_t first, int owner, int parity,
            const std::string& name) {
    const auto width = static_cast<std::int64_t>(pivots.size());
    // L with small elements; what stands on and above the diagonal does not count
    std::vector<T> square(static_cast<std::size_t>(width * width));
    for (std::int64_t c = 0; c < width; ++c) {
      for (std::int64_t r = 0; r < width; ++r) {
        square[static_cast<std::size_t>(r + c * width)] =
            r > c ? small_number<T>(7, r, c) / Real<T>(8)
                  : T(std::numeric_limits<Real<T>>::quiet_NaN());
      }
    }
    active_.retire(pivots);
    const PivotStep<T> now = {pivots, square, first, columns_ - first, owner};
    Traffic traffic;
    const UpperRows<T> got = pivot_rows_.gather(world_, active_, delayed_, now, a_.data(), parity,
                                                workspace_.data(), sends_[parity], traffic);
    delayed_.close_gaps(active_);
    const std::vector<T> upper = solved(pivots, square, first);
    const Range part = PivotRows<T>::chunk(width, replica(), replicas_);
    const bool keeps = owner == mine_;
    EXPECT_LE(got.begin, keeps ? 0 : part.begin) << name;
    expect_rows(got, keeps ? Range{0, width} : part, width, upper, columns_ - first, name);
    EXPECT_EQ(traffic.words_received.value, arriving(pivots, columns_ - first, owner)) << name;
    Communicator::wait(sends_[1 - parity]);
  }

  // In every column, active rows are where ActiveRows says, as they were, with delayed updates
  // still to be applied.
  void expect_active_rows_untouched(std::int64_t first, const std::string& name) {
    std::int64_t wrong = 0;
    std::int64_t compared = 0;
    for (int s = 0; s < active_.sections(); ++s) {
      for (const std::int64_t i : active_.rows(s)) {
        for (std::int64_t j = first; j < columns_; ++j, ++compared) {
          wrong += mine(i, j) != small_number<T>(replica(), i, j) ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(wrong, 0) << name << ", of " << compared;
  }

  void finish() {
    for (std::vector<MPI_Request>& sends : sends_) Communicator::wait(sends);
  }

 private:
  // L^-1 of the pivots' rows, in plain loops.
  std::vector<T> solved(const std::vector<std::int64_t>& pivots, const std::vector<T>& square,
                        std::int64_t first) {
    const std::size_t width = pivots.size();
    std::vector<T> u;
    for (std::int64_t j = first; j < columns_; ++j) {
      for (std::size_t i = 0; i < width; ++i) {
        T x = whole(pivots[i], j);
        const std::size_t column = u.size() - i;
        for (std::size_t k = 0; k < i; ++k) x -= square[i + k * width] * u[column + k];
        u.push_back(x);
      }
    }
    return u;
  }

  void expect_rows(const UpperRows<T>& got, const Range& wanted, std::int64_t width,
                   const std::vector<T>& upper, std::int64_t across, const std::string& name) {
    double scale = 1;
    for (const T& x : upper) scale = std::max(scale, static_cast<double>(std::abs(x)));
    const double tolerance = 100 * scale * std::numeric_limits<Real<T>>::epsilon();
    for (std::int64_t c = 0; c < across; ++c) {
      for (std::int64_t i = wanted.begin; i < wanted.end; ++i) {
        const T x = got.rows[i - got.begin + c * got.leading];
        const T y = upper[static_cast<std::size_t>(i + c * width)];
        if (std::abs(x - y) <= tolerance) continue;
        ADD_FAILURE() << name << text(": U(", i, ", ", c, ") is ", x, ", expected ", y);
        return;
      }
    }
  }

  // Words that come to this rank, by the stages: copies added up over replicas, each replica to its
  // columns; rows of other grid rows, each to its slice; solved slices back, this replica's chunk
  // of the pivots over replicas and then over grid rows; to the owner what it lacks.
  std::int64_t arriving(const std::vector<std::int64_t>& pivots, std::int64_t across, int owner) {
    const auto width = static_cast<std::int64_t>(pivots.size());
    std::int64_t held = 0;
    for (const std::int64_t p : pivots) held += p / block % grid_rows_ == row() ? 1 : 0;
    if (replicas_ == 1) return (width - held) * across;
    const auto slice = [&](int replica, int row) {
      const Range group = round_of({0, across}, row, grid_rows_);
      return round_of(group, replica, replicas_).size();
    };
    std::int64_t of_layer = 0;
    std::int64_t chunk_columns = 0;  // that come over replicas, then over grid rows
    for (int r = 0; r < grid_rows_; ++r) of_layer += slice(replica(), r);
    for (int l = 0; l < replicas_; ++l) {
      for (int r = 0; r < grid_rows_; ++r) {
        if (r != row() || l != replica()) chunk_columns += slice(l, r);
      }
    }
    const std::int64_t chunk = PivotRows<T>::chunk(width, replica(), replicas_).size();
    std::int64_t words = (replicas_ - 1) * held * of_layer +
                         (width - held) * slice(replica(), row()) + chunk * chunk_columns;
    if (owner == mine_) words += (width - chunk) * (across - slice(replica(), row()));
    return words;
  }

  const Communicator& world_;
  int grid_rows_, replicas_;
  std::int64_t columns_;
  int mine_;  // this rank's class
  ActiveRows active_;
  DelayedUpdates<T> delayed_;
  PivotRows<T> pivot_rows_;
  std::vector<T> delayed_workspace_, workspace_, a_, whole_;
  std::vector<MPI_Request> sends_[2];
};

template <class T>
class PivotRowsTest : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PivotRowsTest, Types);

// On every way to see the ranks as grid rows and replicas: step by step until few rows are left,
// pivots anywhere, also all with one rank; without and with delayed updates.
TYPED_TEST(PivotRowsTest, ReachTheRanksThatNeedThemOnEveryGrid) {
  using T = TypeParam;
  const Communicator world(MPI_COMM_WORLD);
  int grids = 0;
  for (int replicas = 1; replicas <= world.size(); ++replicas) {
    if (world.size() % replicas != 0) continue;
    for (const auto& [late, exchange] :
         {std::pair{false, Exchange::direct}, std::pair{true, Exchange::direct},
          std::pair{true, Exchange::doubling}}) {
      const int grid_rows = world.size() / replicas;
      const std::int64_t columns = 40;
      GridColumn<T> column(world, grid_rows, replicas, columns, exchange);
      Dice dice(static_cast<std::uint64_t>(replicas));
      std::vector<std::int64_t> left(static_cast<std::size_t>(GridColumn<T>::rows));
      std::iota(left.begin(), left.end(), 0);
      std::int64_t first = 0;
      for (int step = 0; step < 7; ++step, ++grids) {
        const std::string name =
            text(grid_rows, " grid rows, ", replicas, " replicas, step ", step);
        const std::int64_t width = step == 6 ? 2 : GridColumn<T>::block;
        first += width;
        std::vector<std::int64_t> pivots;
        for (std::int64_t p = 0; p < width; ++p) {
          const auto last = static_cast<std::int64_t>(left.size()) - 1;
          // of the second step all from one block, of others any
          const auto at = left.begin() + (step == 1 ? 0 : dice.between(0, last));
          pivots.push_back(*at);
          left.erase(at);
        }
        const int owner = static_cast<int>(dice.between(0, world.size() - 1));
        column.step(pivots, first, owner, step % 2, name);
        column.expect_active_rows_untouched(first, name);
        if (late && step < 2) column.put_off(step + 3, first, 40 + step);
      }
      column.finish();
    }
  }
  EXPECT_GE(grids, 21);
}

}  // namespace
}  // namespace redblue::linalg
