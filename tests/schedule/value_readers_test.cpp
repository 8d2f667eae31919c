// SPDX-License-Identifier: BSD-3-Clause
// Whether values live on, by who reads them: held against all touches of small programs.
#include "schedule/prediction/value_readers.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kernel_names.hpp"
#include "schedule/kernel_program.hpp"
#include "schedule/order.hpp"
#include "schedule/search/search.hpp"
#include "schedule/stencil/cone_tiles.hpp"
#include "schedule/traffic/walk.hpp"

namespace redblue::test {
namespace {

using schedule::Fate;

// A touch, and what becomes of its value.
struct Touched {
  schedule::At instance;
  std::size_t number = 0;  // of the instance, in this order
  std::optional<std::size_t> read;
  std::uint32_t element = 0;
};

// All touches of an order, from its begin.
struct Collected {
  std::vector<schedule::At> instances;
  std::vector<Touched> touches;
  void at(const schedule::LoopNode& statement, const std::int64_t* counters) {
    schedule::At here{statement.statement, {}};
    statement.iterators(counters, here.iterators);
    instances.push_back(here);
    reads.clear();
    std::vector<std::int64_t> room;
    for (const schedule::Touch& t : statement.touches) {
      if (const auto number = t.number(counters, here.iterators, room))
        reads.emplace(*number, t.read);
    }
  }
  void step(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = 0; t < n; ++t) {
      const auto read = t + 1 < n ? std::optional(reads.at(touched[t])) : std::nullopt;
      touches.push_back({instances.back(), instances.size() - 1, read, touched[t]});
    }
  }
  std::map<std::int64_t, std::size_t> reads;  // of the instance, by element
};

// By touch: the last instance that reads the element before it is written again, by number; or
// nothing where none does after the touch itself. And whether the element is written again.
struct After {
  std::optional<std::size_t> last_read;
  bool overwritten = false;
};

std::vector<After> after(const std::vector<Touched>& touches) {
  std::map<std::uint32_t, After> next;  // by element
  std::vector<After> result(touches.size());
  for (std::size_t t = touches.size(); t-- > 0;) {
    After& here = next[touches[t].element];
    result[t] = here;
    if (!touches[t].read) {
      here = {{}, true};
    } else if (!here.last_read) {
      here.last_read = touches[t].number;
    }
  }
  return result;
}

// How many touches it answers for, of how many; all rightly.
std::pair<std::size_t, std::size_t> answered(const schedule::SizedOrder& order,
                                             const program::Sizes& sizes) {
  const schedule::LoopProgram loops = order.at(sizes);
  Collected all;
  schedule::Walk<schedule::Direction::forward, Collected>(loops, all).all();
  const std::vector<After> truth = after(all.touches);
  schedule::ValueReaders readers(order.program, order.order.times, sizes);
  std::pair<std::size_t, std::size_t> result;
  for (std::size_t t = 0; t < all.touches.size(); ++t) {
    const Touched& touch = all.touches[t];
    for (const std::size_t later : {0, 7, 40}) {
      const std::size_t end = std::min(touch.number + later, all.instances.size() - 1);
      const auto found =
          readers.after(readers.time(all.instances[end]), touch.instance, touch.read);
      ++result.second;
      if (!found) continue;
      ++result.first;
      const bool lives = truth[t].last_read && *truth[t].last_read > end;
      const bool computed = !touch.read || *found == Fate::final;
      const bool is_result = computed && !truth[t].overwritten && loops.output[touch.element];
      EXPECT_EQ(*found, lives       ? Fate::read
                        : is_result ? Fate::final
                                    : Fate::dead)
          << "touch " << t << " until instance " << end;
    }
  }
  return result;
}

schedule::SizedOrder own(const program::Program& program) {
  return schedule::sized_order(program, schedule::own_order(program));
}

// All but what lies around the results, which all steps read.
void expect_nearly_all(const std::pair<std::size_t, std::size_t>& known_of_all) {
  constexpr double most = 0.7;
  EXPECT_GT(static_cast<double>(known_of_all.first),
            most * static_cast<double>(known_of_all.second));
}

TEST(ValueReaders, KnowNearlyAllOfStencils) {
  for (const std::string name : {"jacobi-1d", "jacobi-2d", "heat-3d"})
    expect_nearly_all(answered(own(read(kernel(name))), {{"N", 7}, {"T", 4}}));
}

TEST(ValueReaders, KnowNearlyAllInConeTiles) {
  const program::Program program = read(kernel("jacobi-2d"));
  const std::vector<schedule::Nest> nests = schedule::cone_nests(program);
  ASSERT_FALSE(nests.empty());
  const std::vector<schedule::Tiles> tiles = {{{1, 2, 0}, {5, 4, 1}}};
  expect_nearly_all(
      answered(schedule::sized_order(program, {nests.front(), tiles}), {{"N", 9}, {"T", 5}}));
}

// Sums on their way have one reader each, what is multiplied has many.
TEST(ValueReaders, KnowTheSumsOfProducts) {
  const program::Program program = read(kernel("gemm"));
  const auto [known, all] = answered(own(program), {{"NI", 4}, {"NJ", 5}, {"NK", 6}});
  EXPECT_GT(known, all / 3);
  EXPECT_LT(known, all);
}

// Updates that commute read what the order gives them.
TEST(ValueReaders, SayNothingWhereUpdatesCommute) {
  const program::Program program = read(kernel("floyd-warshall"));
  ASSERT_FALSE(program.commuting.empty());
  EXPECT_EQ(answered(own(program), {{"N", 5}}).first, 0U);
}

TEST(ValueReaders, AreRightInEveryKernelTried) {
  for (const std::string name : {"seidel-2d", "fdtd-2d", "lu", "trisolv", "durbin", "nussinov"}) {
    const program::Program program = read(kernel(name));
    program::Sizes sizes;
    for (const std::string& p : program.parameters) sizes[p] = 6;
    answered(own(program), sizes);
  }
}

}  // namespace
}  // namespace redblue::test
