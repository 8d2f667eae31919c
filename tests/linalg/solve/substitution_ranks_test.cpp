// SPDX-License-Identifier: BSD-3-Clause
// Solving by blocks, the triangle or the right-hand sides staying where they are, against BLAS's
// trsm on one rank; words, messages and buffers against the model of the decomposition.
#include "linalg/solve/substitution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "linalg/blas/lapack.hpp"
#include "linalg/on_grid.hpp"
#include "linalg/random_layouts.hpp"
#include "linalg/solve/right_looking.hpp"
#include "matgen/check.hpp"

extern "C" {
// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_TRSM(letter, type)                                                                 \
  void letter##trsm_(const char* side, const char* uplo, const char* trans, const char* diag,      \
                     const int* m, const int* n, const type* alpha, const type* a, const int* lda, \
                     type* b, const int* ldb);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_TRSM(s, float)
REDBLUE_TRSM(d, double)
REDBLUE_TRSM(c, std::complex<float>)
REDBLUE_TRSM(z, std::complex<double>)
#undef REDBLUE_TRSM
}

namespace redblue::linalg {
namespace {

constexpr auto trsm(float) {
  return strsm_;
}
constexpr auto trsm(double) {
  return dtrsm_;
}
constexpr auto trsm(std::complex<float>) {
  return ctrsm_;
}
constexpr auto trsm(std::complex<double>) {
  return ztrsm_;
}

// T as it is stored, whole; its other triangle, and a unit diagonal, must not be read.
template <class T>
struct Triangle {
  std::int64_t n;
  bool lower;  // as stored
  char op;
  bool unit;

  T stored(std::int64_t row, std::int64_t column) const {
    if ((lower ? row < column : row > column) || (unit && row == column)) {
      return T(std::numeric_limits<Real<T>>::quiet_NaN());
    }
    const auto size = static_cast<Real<T>>(std::sqrt(static_cast<double>(n)));
    const T x = matgen::random_number<T>(matgen::seed_a, row, column);
    return row == column ? x + T(2) : x / size;
  }
};

template <class T>
std::vector<T> solved_by_blas(const Triangle<T>& t, std::int64_t m) {
  std::vector<T> a;
  std::vector<T> b;
  for (std::int64_t j = 0; j < t.n; ++j) {
    for (std::int64_t i = 0; i < t.n; ++i) a.push_back(t.stored(i, j));
  }
  for (std::int64_t j = 0; j < m; ++j) {
    for (std::int64_t i = 0; i < t.n; ++i)
      b.push_back(matgen::random_number<T>(matgen::seed_b, i, j));
  }
  const char triangle = t.lower ? 'L' : 'U';
  const char diagonal = t.unit ? 'U' : 'N';
  const int rows = static_cast<int>(t.n);
  const int columns = static_cast<int>(m);
  const int leading = std::max(1, rows);
  const T one(1);
  trsm(T{})("L", &triangle, &t.op, &diagonal, &rows, &columns, &one, a.data(), &leading, b.data(),
            &leading);
  return b;
}

// The blocks of op(T) of a row class and a column class, as a rank holds them.
template <class T>
struct Part {
  std::vector<T> values;
  std::int64_t leading;
};

template <class T>
Part<T> part(const Triangle<T>& t, const TrsmDecomposition& d, int row, int column) {
  const auto of_class = [&](int c, int classes) { return listed_class(t.n, d.block, c, classes); };
  // of T as it is stored: rows of op(T) are its columns where it does not stand
  const bool stands = (t.op == 'N') != d.transposed_grid;
  const auto rows = stands ? of_class(row, d.grid_rows) : of_class(column, d.grid_columns);
  const auto columns = stands ? of_class(column, d.grid_columns) : of_class(row, d.grid_rows);
  Part<T> p{{}, static_cast<std::int64_t>(rows.size()) + 3};
  p.values.assign(static_cast<std::size_t>(p.leading) * columns.size(),
                  T(std::numeric_limits<Real<T>>::quiet_NaN()));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      p.values[i + j * static_cast<std::size_t>(p.leading)] = t.stored(rows[i], columns[j]);
    }
  }
  return p;
}

template <class T>
class SubstitutionTest : public testing::Test {
 protected:
  comm::Communicator world_{MPI_COMM_WORLD};
  int solves_ = 0;

  GridRanks grid(const TrsmDecomposition& d) const {
    return turned_ranks(d.grid_rows * d.grid_columns * d.replicas, world_.size());
  }

  void check(const TrsmDecomposition& d, const Triangle<T>& t) {
    const GridRanks ranks = grid(d);
    if (d.rhs_in_place) {
      RightLooking<T> solver(d, ranks, world_.rank());
      check(d, t, ranks, rhs_in_place(d, ranks, world_.size()), solver);
    } else {
      Substitution<T> solver(d, ranks, world_.rank());
      check(d, t, ranks, rhs_arrangement(d, ranks, world_.size()), solver);
    }
  }

  template <class Solver>
  void check(const TrsmDecomposition& d, const Triangle<T>& t, const GridRanks& ranks,
             const layout::Arrangement& sides, Solver& solver) {
    const std::string name = text(d.n, " x ", d.m, " on ", d.name(), ", ",
                                  t.lower ? "lower " : "upper ", t.op, t.unit ? " unit" : "");
    const Rank me = world_.rank();
    const auto found = std::find(ranks.begin(), ranks.end(), me.value);
    const auto place = static_cast<int>(found - ranks.begin()) % (d.grid_rows * d.grid_columns);
    const Part<T> held = found == ranks.end()
                             ? Part<T>{{}, 1}
                             : part(t, d, place / d.grid_columns, place % d.grid_columns);
    const auto& mine = sides.of_rank[static_cast<std::size_t>(me.value)];
    std::vector<T> x(static_cast<std::size_t>(solver.storage()), T(1e6));
    std::int64_t own = 0;
    layout::for_each_element(mine, [&](auto row, auto column, auto at) {
      ++own;
      if (at < solver.storage()) {
        x[static_cast<std::size_t>(at)] = matgen::random_number<T>(matgen::seed_b, row, column);
      }
    });
    EXPECT_EQ(own, solver.storage()) << name;
    std::vector<double> all = {static_cast<double>(own)};
    world_.sum(all);
    EXPECT_EQ(all[0], static_cast<double>(d.n * d.m)) << name << ": each element has one owner";
    std::vector<T> workspace(static_cast<std::size_t>(solver.workspace()), T(1e6));
    Traffic traffic;
    solver.execute(world_, {held.values.data(), held.leading, t.op, t.unit}, x.data(),
                   workspace.data(), traffic);
    compare(mine, x, solved_by_blas(t, d.m), d, name);
    const Cost cost = cost_of(d, {});
    expect_received(world_, traffic, cost, d.ranks, name);
    EXPECT_LE(world_.maximum(solver.storage() + solver.workspace()), cost.memory.value) << name;
    ++solves_;
  }

  void compare(const std::vector<layout::Patch>& mine, const std::vector<T>& x,
               const std::vector<T>& wanted, const TrsmDecomposition& d, const std::string& name) {
    const double tolerance =
        100 * static_cast<double>(d.n + 1) * std::numeric_limits<Real<T>>::epsilon();
    std::string wrong;
    layout::for_each_element(mine, [&](auto row, auto column, auto at) {
      const T& got = x[static_cast<std::size_t>(at)];
      const T& expected = wanted[static_cast<std::size_t>(row + column * d.n)];
      if (!wrong.empty() || std::abs(got - expected) <= tolerance) return;
      wrong = text("X(", row, ", ", column, ") is ", got, ", expected ", expected);
    });
    EXPECT_EQ(wrong, "") << name;
  }
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SubstitutionTest, Types);

// On every grid and number of replicas that the ranks make, some ranks left over: every triangle
// and op; blocks that do not divide the matrix, and one that is all of it.
TYPED_TEST(SubstitutionTest, SolvesOnEveryGrid) {
  int turn = 0;
  for (int replicas = 1; replicas <= this->world_.size(); ++replicas) {
    for (int rows = 1; rows * replicas <= this->world_.size(); ++rows) {
      const int columns = this->world_.size() / (rows * replicas);
      for (const char op : {'N', 'T', 'C'}) {
        for (const bool lower : {true, false}) {
          const std::int64_t block = std::vector<std::int64_t>{5, 16, 60}[turn % 3];
          const std::int64_t sides = std::vector<std::int64_t>{37, 3, 70, 1}[turn % 4];
          const bool unit = turn++ % 2 == 0;
          const TrsmDecomposition d{53,      sides,    this->world_.size(), block, rows,
                                    columns, replicas, lower != (op == 'N')};
          this->check(d, {53, lower, op, unit});
        }
      }
    }
  }
  EXPECT_GE(this->solves_, 6);
}

// The same with B where it is; some ranks have no columns of it.
TYPED_TEST(SubstitutionTest, SolvesWhereTheRightHandSidesAre) {
  int turn = 0;
  for (int rows = 1; rows <= this->world_.size(); ++rows) {
    for (const char op : {'N', 'T', 'C'}) {
      for (const bool lower : {true, false}) {
        const std::int64_t block = std::vector<std::int64_t>{5, 16, 60}[turn % 3];
        const std::int64_t sides = std::vector<std::int64_t>{37, 3, 70, 1}[turn % 4];
        const bool unit = turn++ % 2 == 0;
        TrsmDecomposition d{53,
                            sides,
                            this->world_.size(),
                            block,
                            rows,
                            this->world_.size() / rows,
                            1,
                            lower != (op == 'N')};
        d.rhs_in_place = true;
        this->check(d, {53, lower, op, unit});
        d.transposed_grid = true;
        if (d.grid_rows == d.grid_columns) this->check(d, {53, lower, op, unit});
      }
    }
  }
  EXPECT_GE(this->solves_, 6);
}

TYPED_TEST(SubstitutionTest, OfNothingMovesNothing) {
  for (const bool rhs_in_place : {false, true}) {
    for (const auto& [n, m] : {std::pair{0, 4}, {4, 0}, {1, 1}}) {
      TrsmDecomposition d{n, m, this->world_.size(), 2, 1, this->world_.size(), 1, false};
      d.rhs_in_place = rhs_in_place;
      this->check(d, {n, true, 'N', false});
    }
  }
}

}  // namespace
}  // namespace redblue::linalg
