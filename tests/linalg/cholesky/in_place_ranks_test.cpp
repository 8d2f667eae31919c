// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factorizations of matrices that stay on a caller's grid, against LAPACK's on one rank;
// words, messages and buffers against the model of the decomposition.
#include "linalg/cholesky/in_place.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "comm/number.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/on_grid.hpp"
#include "linalg/random_layouts.hpp"
#include "matgen/check.hpp"

namespace redblue::linalg {
namespace {

template <class T>
class CholeskyInPlaceTest : public testing::Test {
 protected:
  comm::Communicator world_{MPI_COMM_WORLD};
  int factored_ = 0;
  // Of an element that must be neither read nor written.
  static constexpr int untouched = 1000000;

  GridRanks grid(const CholeskyDecomposition& d) const {
    return turned_ranks(d.grid_rows * d.grid_columns, world_.size());
  }

  // The lower triangle, where the leading minor of order `bad` + 1 is not positive unless it is -1.
  static T element(std::int64_t row, std::int64_t column, std::int64_t n, std::int64_t bad) {
    if (row == bad && column == bad) return T(-1);
    return matgen::definite_number<T>(row, column, n);
  }

  // This rank's rows and columns of the matrix, in its array.
  struct Part {
    std::vector<std::int64_t> rows, columns;
    std::int64_t leading = 1;
    bool upper = false;
    std::vector<T> values;

    std::size_t at(std::size_t i, std::size_t j) const {
      return upper ? j + i * static_cast<std::size_t>(leading)
                   : i + j * static_cast<std::size_t>(leading);
    }
    LocalHalf<T> half() { return {values.data(), leading, upper}; }
  };

  Part part(const CholeskyDecomposition& d, const GridRanks& ranks, bool upper, std::int64_t bad) {
    Part p;
    const auto found = std::find(ranks.begin(), ranks.end(), world_.rank().value);
    p.upper = upper;
    if (found == ranks.end()) return p;
    const auto place = static_cast<int>(found - ranks.begin());
    p.rows = listed_class(d.n, d.block, place / d.grid_columns, d.grid_rows);
    p.columns = listed_class(d.n, d.block, place % d.grid_columns, d.grid_columns);
    const auto lines = upper ? p.rows.size() : p.columns.size();
    p.leading = static_cast<std::int64_t>(upper ? p.columns.size() : p.rows.size()) + 3;
    p.values.assign(static_cast<std::size_t>(p.leading) * lines, T(untouched));
    for (std::size_t j = 0; j < p.columns.size(); ++j) {
      for (std::size_t i = 0; i < p.rows.size(); ++i) {
        if (p.rows[i] < p.columns[j]) continue;
        const T x = element(p.rows[i], p.columns[j], d.n, bad);
        p.values[p.at(i, j)] = upper ? comm::conjugated(x) : x;
      }
    }
    return p;
  }

  void check(const CholeskyDecomposition& d, bool upper) {
    const std::string name = text(d.n, " on ", d.name(), upper ? ", upper" : ", lower");
    const GridRanks ranks = grid(d);
    Part p = part(d, ranks, upper, -1);
    CholeskyInPlace<T> engine(d, ranks, world_.rank());
    std::vector<T> workspace(static_cast<std::size_t>(engine.workspace()), T(1e6));
    Traffic traffic;
    EXPECT_EQ(engine.factor(world_, p.half(), workspace.data(), traffic), 0) << name;
    compare(d, p, name);
    const Cost cost = cost_of(d, {});
    expect_received(world_, traffic, cost, d.ranks, name);
    const auto own = static_cast<std::int64_t>(p.rows.size() * p.columns.size());
    EXPECT_EQ(world_.maximum(own + engine.workspace()), cost.memory.value) << name;
    ++factored_;
  }

  void compare(const CholeskyDecomposition& d, const Part& p, const std::string& name) {
    std::vector<T> whole(static_cast<std::size_t>(d.n * d.n));
    for (std::int64_t j = 0; j < d.n; ++j) {
      for (std::int64_t i = j; i < d.n; ++i)
        whole[static_cast<std::size_t>(i + j * d.n)] = element(i, j, d.n, -1);
    }
    ASSERT_EQ(lapack::cholesky('L', d.n, whole.data(), std::max<std::int64_t>(1, d.n)), 0);
    const double tolerance =
        100 * static_cast<double>(d.n + 1) * std::numeric_limits<Real<T>>::epsilon();
    for (std::size_t j = 0; j < p.columns.size(); ++j) {
      for (std::size_t i = 0; i < p.rows.size(); ++i) {
        const T got = p.values[p.at(i, j)];
        if (p.rows[i] < p.columns[j]) {
          ASSERT_EQ(got, T(untouched)) << name << ": beyond the diagonal";
          continue;
        }
        const T wanted = whole[static_cast<std::size_t>(p.rows[i] + p.columns[j] * d.n)];
        ASSERT_LE(std::abs((p.upper ? comm::conjugated(got) : got) - wanted), tolerance)
            << name << ": L(" << p.rows[i] << ", " << p.columns[j] << ")";
      }
    }
  }
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CholeskyInPlaceTest, Types);

// On every grid that the ranks make, some ranks left over: both triangles; blocks that do not
// divide the matrix, some so small that updates are put together, and one that is all of it.
TYPED_TEST(CholeskyInPlaceTest, FactorsOnEveryGrid) {
  for (int rows = 1; rows <= this->world_.size(); ++rows) {
    for (const bool upper : {false, true}) {
      for (const std::int64_t block : {1, 5, 16, 40, 70, 200}) {
        CholeskyDecomposition d;
        d.n = 150;
        d.ranks = this->world_.size();
        d.block = block;
        d.grid_rows = rows;
        d.grid_columns = this->world_.size() / rows;
        this->check(d, upper);
      }
    }
  }
  EXPECT_GE(this->factored_, 12);
}

TYPED_TEST(CholeskyInPlaceTest, OfNothingMovesNothing) {
  for (const std::int64_t n : {0, 1}) {
    CholeskyDecomposition d;
    d.n = n;
    d.ranks = this->world_.size();
    d.block = 4;
    d.grid_rows = 1;
    d.grid_columns = this->world_.size();
    this->check(d, false);
    EXPECT_EQ(cost_of(d, {}).words, Words(0));
  }
}

// The rank that has the minor's block finds it.
TYPED_TEST(CholeskyInPlaceTest, FindsTheMinorThatIsNotPositive) {
  for (const std::int64_t bad : {0, 17, 63}) {
    CholeskyDecomposition d;
    d.n = 64;
    d.ranks = this->world_.size();
    d.block = 8;
    d.grid_rows = this->world_.size();
    d.grid_columns = 1;
    const GridRanks ranks = this->grid(d);
    auto p = this->part(d, ranks, false, bad);
    CholeskyInPlace<TypeParam> engine(d, ranks, this->world_.rank());
    std::vector<TypeParam> workspace(static_cast<std::size_t>(engine.workspace()));
    Traffic traffic;
    const std::int64_t found = engine.factor(this->world_, p.half(), workspace.data(), traffic);
    const bool owns =
        ranks[static_cast<std::size_t>(bad / d.block % d.grid_rows)] == this->world_.rank().value;
    if (owns) {
      EXPECT_EQ(found, bad + 1);
    }
  }
}

}  // namespace
}  // namespace redblue::linalg
