// SPDX-License-Identifier: BSD-3-Clause
// Delayed rank-k updates against subtracting each step's product at once in plain loops.
#include "linalg/lu/delayed_updates.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <type_traits>
#include <vector>

namespace redblue::linalg {
namespace {

// Small integers: every sum is exact, whatever its order.
template <class T>
class Random {
 public:
  T operator()() {
    const auto real = static_cast<float>(static_cast<int>(engine_() % 7) - 3);
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(real);
    else
      return T(real, static_cast<float>(static_cast<int>(engine_() % 7) - 3));
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine_()) % n; }
  std::vector<T> matrix(std::int64_t words) {
    std::vector<T> values;
    for (std::int64_t i = 0; i < words; ++i) values.push_back((*this)());
    return values;
  }

 private:
  std::mt19937 engine_{5};
};

template <class T>
class DelayedUpdatesTest : public testing::Test {
 protected:
  static constexpr std::int64_t columns = 23;
  static constexpr std::int64_t most = 9;

  DelayedUpdatesTest() : active_({53, 4, 3}, 0, 1), delayed_(active_.leading(), columns, most) {
    active_.reset();
    workspace_.assign(static_cast<std::size_t>(delayed_.workspace()), T(77));
    delayed_.start(workspace_.data());
    a_ = random_.matrix(leading() * columns);
    at_once_ = a_;
  }

  std::int64_t leading() const { return active_.leading(); }
  static std::size_t at(std::int64_t row, std::int64_t column, std::int64_t leading) {
    return static_cast<std::size_t>(row + column * leading);
  }

  // A step of so many pivots, for the columns from `first` on: delayed, and done at once.
  void step(std::int64_t pivots, std::int64_t first) {
    std::vector<std::vector<T>> lower;
    std::vector<blas::Factor<T>> factors;
    for (const ActiveRows::RowRun& s : active_.runs()) {
      lower.push_back(random_.matrix((s.count + 2) * pivots));
      factors.push_back({lower.back().data(), s.count + 2});
    }
    const std::int64_t upper_leading = pivots + 1;
    const std::vector<T> upper = random_.matrix(upper_leading * (columns - first));
    delayed_.add(active_.runs(), factors, pivots, first, {upper.data(), upper_leading});
    for (std::size_t s = 0; s < factors.size(); ++s) {
      const ActiveRows::RowRun span = active_.runs()[s];
      for (std::int64_t i = 0; i < span.count; ++i) {
        for (std::int64_t j = first; j < columns; ++j) {
          for (std::int64_t p = 0; p < pivots; ++p) {
            at_once_[at(span.start + i, j, leading())] -=
                lower[s][at(i, p, span.count + 2)] * upper[at(p, j - first, upper_leading)];
          }
        }
      }
    }
  }

  // Active rows of the columns.
  void expect_equal(std::int64_t first, std::int64_t count) {
    std::int64_t wrong = 0;
    for (const ActiveRows::RowRun& s : active_.runs()) {
      for (std::int64_t i = s.start; i < s.start + s.count; ++i) {
        for (std::int64_t j = first; j < first + count; ++j) {
          wrong += a_[at(i, j, leading())] != at_once_[at(i, j, leading())] ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(wrong, 0);
  }

  Random<T> random_;
  ActiveRows active_;
  DelayedUpdates<T> delayed_;
  std::vector<T> workspace_, a_, at_once_;
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DelayedUpdatesTest, Types);

TYPED_TEST(DelayedUpdatesTest, ArePutOffUntilThereIsNoRoom) {
  EXPECT_TRUE(this->delayed_.room_for(this->most));
  EXPECT_FALSE(this->delayed_.room_for(this->most + 1));
  this->step(4, 2);
  this->step(3, 6);
  EXPECT_TRUE(this->delayed_.room_for(2));
  EXPECT_FALSE(this->delayed_.room_for(3));
  this->delayed_.clear();
  EXPECT_TRUE(this->delayed_.room_for(this->most));
}

TYPED_TEST(DelayedUpdatesTest, OfSeveralStepsAreMadeAtOnce) {
  const std::vector<TypeParam> before = this->a_;
  this->delayed_.apply(this->active_.runs(), 0, this->columns, this->a_.data());
  EXPECT_EQ(this->a_, before);  // nothing is delayed
  this->step(4, 3);
  this->step(2, 7);
  this->step(3, 8);
  // a panel first, then the rest
  this->delayed_.apply(this->active_.runs(), 8, 4, this->a_.data());
  this->expect_equal(8, 4);
  this->delayed_.apply(this->active_.runs(), 12, this->columns - 12, this->a_.data());
  this->expect_equal(8, this->columns - 8);
  this->delayed_.clear();
  const std::vector<TypeParam> done = this->a_;
  this->delayed_.apply(this->active_.runs(), 8, this->columns - 8, this->a_.data());
  EXPECT_EQ(this->a_, done);
  this->step(5, 9);  // and from the start again
  this->delayed_.apply(this->active_.runs(), 9, this->columns - 9, this->a_.data());
  this->expect_equal(9, this->columns - 9);
}

// Between steps pivots' rows leave: they get the delayed updates, the others' gaps close.
TYPED_TEST(DelayedUpdatesTest, ReachRowsThatAreTakenOutAndFollowThoseThatMove) {
  using T = TypeParam;
  this->step(4, 2);
  const std::vector<std::int64_t> pivots = {0, 17, 50, 4, 23, 12};
  std::vector<std::int64_t> places;
  for (const std::int64_t p : pivots) places.push_back(this->active_.storage_row(p));
  const std::int64_t first = 6;
  std::vector<T> taken;
  std::vector<T> wanted;
  for (std::int64_t j = first; j < this->columns; ++j) {
    for (const std::int64_t p : places) {
      taken.push_back(this->a_[this->at(p, j, this->leading())]);
      wanted.push_back(this->at_once_[this->at(p, j, this->leading())]);
    }
  }
  const std::vector<T> lower = this->delayed_.lower_rows(places);
  ASSERT_EQ(lower.size(), places.size() * 4);
  this->delayed_.apply_to(static_cast<std::int64_t>(places.size()), lower, first,
                          this->columns - first, taken.data());
  EXPECT_EQ(taken, wanted);
  this->active_.retire(pivots);
  for (std::int64_t j = 0; j < this->columns; ++j) {
    this->active_.close_gaps(this->a_.data() + j * this->leading());
    this->active_.close_gaps(this->at_once_.data() + j * this->leading());
  }
  this->delayed_.close_gaps(this->active_);
  this->step(3, 6);
  this->delayed_.apply(this->active_.runs(), first, this->columns - first, this->a_.data());
  this->expect_equal(first, this->columns - first);
}

}  // namespace
}  // namespace redblue::linalg
