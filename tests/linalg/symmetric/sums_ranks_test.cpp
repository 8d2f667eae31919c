// SPDX-License-Identifier: BSD-3-Clause
// Updates whose ranks multiply the columns of A that they have: the result, words, memory limits.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "linalg/plan/caller_layouts.hpp"
#include "linalg/random_layouts.hpp"
#include "matgen/check.hpp"
#include "redblue/symmetric.hpp"

namespace redblue::linalg {
namespace {

class SyrkSums : public testing::Test {
 protected:
  comm::Communicator world_{MPI_COMM_WORLD};
  const std::int64_t n_ = 60, k_ = 900;

  SyrkLayouts layouts() const {
    const int ranks = world_.size();
    SyrkLayouts all;
    all.a = block_cyclic(n_, k_, 16, 1, ranks, world_.rank());
    all.c = block_cyclic(n_, n_, 16, 1, ranks, world_.rank());
    return all;
  }

  static double a(std::int64_t row, std::int64_t column) {
    return matgen::random_number<double>(matgen::seed_a, row, column);
  }

  // C = A A' by the plan, against sums of products.
  void check(SyrkPlan<double>& plan, const std::string& name) {
    const SyrkLayouts all = layouts();
    const Rank me = world_.rank();
    const auto patches_a = local_patches(all.a, world_);
    const auto patches_c = local_patches(all.c, world_);
    const std::vector<double> mine = matgen::array_of<double>(patches_a, array_words(all.a, me), a);
    std::vector<double> c(static_cast<std::size_t>(array_words(all.c, me).value), -1);
    plan.execute(1, mine.data(), nullptr, 0, c.data());
    double worst = 0;
    layout::for_each_element(patches_c, [&](auto row, auto column, auto place) {
      const double got = c[static_cast<std::size_t>(place)];
      if (row < column) {
        worst = std::max(worst, std::abs(got + 1));  // untouched
        return;
      }
      double wanted = 0;
      for (std::int64_t l = 0; l < k_; ++l) wanted += a(row, l) * a(column, l);
      worst = std::max(worst, std::abs(got - wanted));
    });
    EXPECT_LE(world_.maximum(worst), 1e-11) << name;
  }
};

TEST_F(SyrkSums, MoveHardlyMoreThanSums) {
  SyrkPlan<double> plan(MPI_COMM_WORLD, layouts());
  const std::int64_t ranks = world_.size();
  EXPECT_EQ(plan.name(), text("k cut ", ranks, " ways, columns by owner"));
  check(plan, plan.name());
  const layout::Arrangement c = arrangement_of(layouts().c, Op::none, world_.size());
  const std::int64_t sums = c.words_on(world_.rank(), layout::Part::lower) * (ranks - 1);
  // even parts exchange at most a block of columns
  const std::int64_t received = plan.traffic().total().words_received.value;
  EXPECT_GE(received, sums);
  EXPECT_LE(received, sums + 16 * n_);
}

TEST_F(SyrkSums, KeepMemoryLimits) {
  const SyrkPlan<double> free(MPI_COMM_WORLD, layouts());
  SyrkOptions options;
  options.memory = Words(world_.maximum(free.memory().value));
  SyrkPlan<double> same(MPI_COMM_WORLD, layouts(), options);
  EXPECT_EQ(same.name(), free.name());
  check(same, "as much as without a limit");
  // sums need a whole C on every rank: less than that goes on otherwise
  const Words owned =
      array_words(layouts().a, world_.rank()) + array_words(layouts().c, world_.rank());
  options.memory = Words(world_.maximum(owned.value) + n_ * n_ - 1);
  SyrkPlan<double> less(MPI_COMM_WORLD, layouts(), options);
  EXPECT_NE(less.name(), free.name());
  EXPECT_LE(less.memory(), *options.memory);
  check(less, less.name());
}

}  // namespace
}  // namespace redblue::linalg
