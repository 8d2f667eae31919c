// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves with one right-hand side, by both schemes, against BLAS's trsv on one rank;
// words, messages and what happens along the critical path against the model.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "linalg/blas/blas.hpp"
#include "linalg/random_case.hpp"
#include "matgen/check.hpp"
#include "redblue/error.hpp"
#include "redblue/solve.hpp"

namespace redblue {
namespace {

using namespace linalg;

// T as it is stored, whole; its other triangle, and a unit diagonal, must not be read.
template <class T>
T stored(const TrsvLayouts& l, std::int64_t n, std::int64_t row, std::int64_t column) {
  const bool outside = l.triangle == Triangle::lower ? row < column : row > column;
  if (outside || (l.unit && row == column)) return T(std::numeric_limits<Real<T>>::quiet_NaN());
  const T x = matgen::random_number<T>(matgen::seed_a, row, column);
  return row == column ? x + T(2) : x / static_cast<Real<T>>(std::sqrt(static_cast<double>(n)));
}

template <class T>
std::vector<T> solved_by_blas(const TrsvLayouts& l, std::int64_t n) {
  std::vector<T> t;
  std::vector<T> x;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) t.push_back(stored<T>(l, n, i, j));
    x.push_back(matgen::random_number<T>(matgen::seed_b, j, 0));
  }
  blas::trsv(l.triangle == Triangle::lower ? 'L' : 'U', {t.data(), n, letter(l.op)}, l.unit, n,
             x.data());
  return x;
}

std::string name_of(const TrsvLayouts& l) {
  return text(l.triangle == Triangle::lower ? "lower " : "upper ", letter(l.op),
              l.unit ? " unit" : "", ", T ", name(l.t), ", x ", name(l.x));
}

// Solves twice; returns the plan for more checks.
template <class T>
TrsvPlan<T> check(comm::Communicator& world, std::int64_t n, const TrsvLayouts& l,
                  const TrsvOptions& options) {
  const std::string name = name_of(l);
  const auto held = local_patches(l.t, world);
  const std::vector<T> t = matgen::array_of<T>(
      held, array_words(l.t, world.rank()), [&](auto i, auto j) { return stored<T>(l, n, i, j); });
  const auto held_x = local_patches(l.x, world);
  const std::vector<T> b = matgen::array_of<T>(
      held_x, array_words(l.x, world.rank()),
      [](auto i, auto j) { return matgen::random_number<T>(matgen::seed_b, std::max(i, j), 0); });
  const std::vector<T> wanted = solved_by_blas<T>(l, n);
  TrsvPlan<T> plan(MPI_COMM_WORLD, l, options);
  const double tolerance = 100 * static_cast<double>(n + 1) *
                           static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  std::vector<T> first;
  for (int time = 0; time < 2; ++time) {
    std::vector<T> x = b;
    plan.execute(t.data(), x.data());
    std::string wrong;
    layout::for_each_element(held_x, [&](auto row, auto column, auto at) {
      const T& got = x[static_cast<std::size_t>(at)];
      const T& expected = wanted[static_cast<std::size_t>(std::max(row, column))];
      if (!wrong.empty() || std::abs(got - expected) <= tolerance) return;
      wrong = text("x(", std::max(row, column), ") is ", got, ", expected ", expected);
      EXPECT_EQ(wrong, "") << name << ", " << plan.decomposition().name();
    });
    if (time == 1 && !x.empty()) {  // every sum in one order: the same bits every time
      EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(T)), 0) << name;
    }
    first = x;
  }
  return plan;
}

template <class T>
void check_counts(comm::Communicator& world, TrsvPlan<T>& plan, const std::string& name) {
  const TrsvCost cost = cost_of(plan.decomposition(), {});
  EXPECT_EQ(world.maximum(plan.traffic().solve.words_received.value), cost.words.value) << name;
  EXPECT_EQ(world.maximum(plan.traffic().solve.messages_received.value), cost.messages.value)
      << name;
  const TrsvPath path = plan.path();
  EXPECT_EQ(path.synchronisations, cost.path.synchronisations) << name;
  EXPECT_EQ(path.operations, cost.path.operations) << name;
  EXPECT_EQ(path.words, cost.path.words) << name;
}

// T in column panels of op(T).
TrsvLayouts panels(const comm::Communicator& world, std::int64_t n, std::int64_t b,
                   Triangle triangle, Op op) {
  const int p = world.size();
  const bool as_stored = op == Op::none;
  return {triangle, op, false,
          block_cyclic(n, n, b, as_stored ? 1 : p, as_stored ? p : 1, world.rank()),
          block_cyclic(1, n, b, 1, p, world.rank())};
}

template <class T>
class Trsv : public testing::Test {
 protected:
  comm::Communicator world_{MPI_COMM_WORLD};
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Trsv, Types);

// Panels that divide n and such that do not, more and fewer than ranks: T and x stay, and all
// counts are those of the model.
TYPED_TEST(Trsv, WavefrontInItsOwnLayout) {
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 5> sizes = {
      {{96, 8}, {53, 4}, {40, 7}, {5, 8}, {1, 1}}};
  std::size_t turn = 0;
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      for (int time = 0; time < 2; ++time) {
        const auto [n, b] = sizes[turn++ % sizes.size()];
        TrsvLayouts l = panels(this->world_, n, b, triangle, op);
        l.unit = n == 53;
        TrsvOptions options;
        options.scheme = TrsvScheme::wavefront;
        options.step = b;
        TrsvPlan<TypeParam> plan = check<TypeParam>(this->world_, n, l, options);
        check_counts(this->world_, plan, name_of(l));
        EXPECT_EQ(plan.traffic().redistribute.words_received, Words(0));
      }
    }
  }
}

// On every grid of all ranks, in steps of less and more than a block.
TYPED_TEST(Trsv, InPlaceOnGrids) {
  constexpr std::array<std::int64_t, 4> lengths = {3, 8, 20, 64};
  std::size_t turn = 0;
  const int ranks = this->world_.size();
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0) continue;
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
        constexpr std::int64_t n = 61;
        const std::int64_t step = lengths[turn++ % lengths.size()];
        TrsvLayouts l{triangle, op, step == 20,
                      block_cyclic(n, n, 8, rows, ranks / rows, this->world_.rank()),
                      block_cyclic(n, 1, 5, ranks, 1, this->world_.rank())};
        TrsvOptions options;
        options.step = step;
        TrsvPlan<TypeParam> plan = check<TypeParam>(this->world_, n, l, options);
        check_counts(this->world_, plan, text(name_of(l), ", steps of ", step));
      }
    }
  }
}

// Any layouts, submatrices and block grids among them, x a column or a row.
TYPED_TEST(Trsv, InAnyLayout) {
  for (int turn = 0; turn < 8; ++turn) {
    Dice dice(static_cast<std::uint64_t>(1000 * this->world_.size() + turn));
    const std::int64_t n = dice.between(0, 90);
    const auto any = [&](std::int64_t rows, std::int64_t columns) {
      return random_layout(dice, rows, columns, this->world_.size(), this->world_.rank());
    };
    const bool row = dice.one_in(2);
    const TrsvLayouts l{dice.one_in(2) ? Triangle::lower : Triangle::upper, random_op(dice),
                        dice.one_in(2), any(n, n), any(row ? 1 : n, row ? n : 1)};
    TrsvOptions options;
    if (dice.one_in(2)) options.scheme = TrsvScheme::wavefront;
    if (dice.one_in(2)) options.step = dice.between(1, 40);
    check<TypeParam>(this->world_, n, l, options);
  }
}

// [solomonik2016, Algorithm 2]: F S = 4 n^2 for every width of panels, counted. As many panels are
// at work as half of them; with that many ranks a half-step is one block each.
TEST(TrsvTradeOff, OperationsTimesSynchronisations) {
  comm::Communicator world(MPI_COMM_WORLD);
  for (const std::int64_t b : {8, 16, 32, 64}) {
    const std::int64_t panel_count = 2 * (world.size() - 1);
    const std::int64_t n = b * panel_count;
    const TrsvLayouts l = panels(world, n, b, Triangle::lower, Op::none);
    TrsvOptions options;
    options.scheme = TrsvScheme::wavefront;
    options.step = b;
    TrsvPlan<double> plan = check<double>(world, n, l, options);
    check_counts(world, plan, name_of(l));
    const TrsvPath path = plan.path();
    const TrsvLeadingTerms leading = leading_terms(plan.decomposition());
    const auto size = static_cast<double>(n);
    EXPECT_DOUBLE_EQ(leading.operations * leading.synchronisations, 4 * size * size);
    EXPECT_NEAR(path.operations * static_cast<double>(path.synchronisations), 4 * size * size,
                0.4 * size * size);
    EXPECT_NEAR(path.operations, leading.operations, 0.1 * leading.operations);
    EXPECT_NEAR(static_cast<double>(path.synchronisations), leading.synchronisations,
                0.1 * leading.synchronisations);
    EXPECT_NEAR(static_cast<double>(path.words.value), leading.words, 0.1 * leading.words);
  }
}

TEST(TrsvErrors, AreThrownOnAllRanks) {
  comm::Communicator world(MPI_COMM_WORLD);
  const Rank me = world.rank();
  const int p = world.size();
  const auto make = [](const TrsvLayouts& l, const TrsvOptions& o) {
    return TrsvPlan<double>(MPI_COMM_WORLD, l, o);
  };
  const TrsvLayouts good = {Triangle::lower, Op::none, false, block_cyclic(20, 20, 4, 1, p, me),
                            block_cyclic(20, 1, 4, 1, p, me)};
  TrsvLayouts wide = good;
  wide.x = block_cyclic(20, 2, 4, 1, p, me);
  EXPECT_THROW(make(wide, {}), Error);
  TrsvLayouts oblong = good;
  oblong.t = block_cyclic(20, 21, 4, 1, p, me);
  EXPECT_THROW(make(oblong, {}), Error);
  TrsvLayouts longer = good;
  longer.x = block_cyclic(21, 1, 4, 1, p, me);
  EXPECT_THROW(make(longer, {}), Error);
  TrsvOptions options;
  options.step = 0;
  EXPECT_THROW(make(good, options), Error);
  options.step = {};
  options.memory = Words(1);
  if (p > 1) {
    EXPECT_THROW(make(good, options), Error);
  }
  TrsvLayouts different = good;
  if (me.value == p - 1) different.triangle = Triangle::upper;
  if (p > 1) {
    EXPECT_THROW(make(different, {}), Error);
  }
  std::vector<double> x(20);
  EXPECT_THROW(make(good, {}).execute(nullptr, x.data()), Error);
}

}  // namespace
}  // namespace redblue
