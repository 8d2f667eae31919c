// SPDX-License-Identifier: BSD-3-Clause
// Traffic of every cache: held against a plain list of what it holds, and against the bound.
#include "measure/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <list>

#include "frontend/read.hpp"
#include "schedule/choice/choice.hpp"
#include "schedule/order.hpp"
#include "schedule/traffic/walk.hpp"

namespace redblue::test {
namespace {

struct Case {
  std::string name;
  program::Sizes sizes;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

// Words in the order of their last use, the latest first.
class PlainCache {
 public:
  explicit PlainCache(std::int64_t capacity) : capacity_(static_cast<std::size_t>(capacity)) {}

  void step(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = 0; t < n; ++t) touch(touched[t], t + 1 == n);
  }
  MemoryTraffic moved() const {
    MemoryTraffic result = moved_;
    for (const Word& w : words_) result.stores += w.changed ? 1 : 0;
    return result;
  }

 private:
  struct Word {
    std::uint32_t element;
    bool changed;
  };

  void touch(std::uint32_t element, bool written) {
    const auto at = std::find_if(words_.begin(), words_.end(),
                                 [&](const Word& w) { return w.element == element; });
    const bool held = at != words_.end();
    const bool changed = written || (held && at->changed);
    if (held) words_.erase(at);
    moved_.loads += held || written ? 0 : 1;
    words_.push_front({element, changed});
    if (words_.size() <= capacity_) return;
    moved_.stores += words_.back().changed ? 1 : 0;
    words_.pop_back();
  }

  std::size_t capacity_;
  std::list<Word> words_;
  MemoryTraffic moved_;
};

MemoryTraffic through_cache(const schedule::SizedOrder& order, const program::Sizes& sizes,
                            std::int64_t capacity) {
  const schedule::LoopProgram loops = order.at(sizes);
  PlainCache cache(capacity);
  schedule::Walk<schedule::Direction::forward, PlainCache>(loops, cache).all();
  return cache.moved();
}

class Levels : public testing::TestWithParam<Case> {
 protected:
  Levels() {
    request.code.program.file = REDBLUE_SOURCE_DIR "/kernels/" + GetParam().name + ".c";
    request.code.program.sizes = GetParam().sizes;
    request.levels = {
        {"small", 8 * 16}, {"middle", 8 * 100}, {"large", 8 * 1000}, {"all", 1 << 20}};
    program = frontend::read(request.code.program);
  }

  // An order made for sizes at which there is something to gain.
  std::optional<schedule::SizedOrder> fast_order() const {
    program::Sizes large;
    for (const std::string& p : program.parameters) large[p] = 400;
    const auto chosen = schedule::codegen::Orders(program, large, {1 << 17, 32}).fastest();
    if (!chosen) return std::nullopt;
    return schedule::SizedOrder{chosen->program, all_times(chosen->schedule)};
  }

  MeasureRequest request;
  program::Program program;
};

TEST_P(Levels, AreThoseOfACacheAndNeverBelowTheBound) {
  const auto order = fast_order();
  ASSERT_TRUE(order);
  const auto levels = measure_detail::level_traffic(request, program, GetParam().sizes, order, {});
  ASSERT_EQ(levels.size(), request.levels.size());
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (const LevelTraffic& at : levels) {
    SCOPED_TRACE(at.name);
    ASSERT_TRUE(at.original && at.schedule) << at.not_counted;
    EXPECT_GT(at.bound, 0);
    EXPECT_GE(static_cast<double>(at.original->moved()), at.bound);
    EXPECT_GE(static_cast<double>(at.schedule->moved()), at.bound);
    const schedule::SizedOrder own{program, schedule::times(program)};
    EXPECT_EQ(*at.original, through_cache(own, GetParam().sizes, at.capacity));
    EXPECT_EQ(*at.schedule, through_cache(*order, GetParam().sizes, at.capacity));
    EXPECT_LE(at.schedule->moved(), before);
    before = at.schedule->moved();
  }
  // Where all data fit, inputs are loaded and outputs stored, once.
  EXPECT_EQ(*levels.back().schedule, *levels.back().original);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Levels,
                         testing::Values(Case{"gemm", {{"NI", 50}, {"NJ", 61}, {"NK", 40}}},
                                         Case{"syrk", {{"N", 50}, {"M", 33}}},
                                         Case{"gramschmidt", {{"M", 30}, {"N", 40}}},
                                         Case{"mvt", {{"N", 60}}}),
                         [](const auto& instance) { return instance.param.name; });

TEST(LevelTraffic, SaysWhyItIsNotCounted) {
  MeasureRequest request;
  request.code.program.file = REDBLUE_SOURCE_DIR "/kernels/gemm.c";
  request.code.program.sizes = {{"NI", 300}, {"NJ", 300}, {"NK", 300}};
  request.levels = {{"L1", 8 * 1000}};
  request.most_accesses = 1e6;
  const auto levels = measure_detail::level_traffic(request, frontend::read(request.code.program),
                                                    request.code.program.sizes, std::nullopt, {});
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_FALSE(levels[0].original || levels[0].schedule);
  EXPECT_NE(levels[0].not_counted.find("more than 1000000"), std::string::npos);
  EXPECT_GT(levels[0].bound, 0);
}

}  // namespace
}  // namespace redblue::test
