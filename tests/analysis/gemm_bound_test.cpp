// SPDX-License-Identifier: BSD-3-Clause
// The bound of kernels/gemm.c against its known form and against schedules that really run.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <vector>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

const std::string gemm = REDBLUE_SOURCE_DIR "/kernels/gemm.c";

BoundReport at(std::int64_t ni, std::int64_t nj, std::int64_t nk, std::int64_t s) {
  return lower_bounds({gemm, "", {}, {{"NI", ni}, {"NJ", nj}, {"NK", nk}, {"S", s}}});
}

TEST(GemmBound, SymbolicForm) {
  const BoundReport report = lower_bounds({gemm, "", {}, {}});
  EXPECT_EQ(report.program, "gemm");
  EXPECT_EQ(report.parameters, (std::vector<std::string>{"NI", "NJ", "NK"}));
  const LowerBound& best = report.bounds[report.best];
  EXPECT_EQ(report.best, report.best_assumed);
  EXPECT_EQ(best.method, "projection");
  EXPECT_EQ(best.leading, "2*NI*NJ*NK/sqrt(S)");
  EXPECT_EQ(best.expression, "2*NI*NJ*NK/sqrt(S) + NI*NJ");
  EXPECT_EQ(best.segment, "3*S");
  EXPECT_EQ(best.intensity, "sqrt(S)/2");
  for (const auto& [loop, tile] : best.tiles) EXPECT_EQ(tile, "sqrt(S)") << loop;
  EXPECT_TRUE(best.proved());
  EXPECT_FALSE(best.value.has_value());
}

TEST(GemmBound, ValueIsAtLeastTheFormula) {
  const BoundReport report = at(1000, 1000, 1000, 1024);
  EXPECT_GE(*report.bounds[report.best].value, 2e9 / 32 + 1e6);
  EXPECT_LE(*report.bounds[report.best].value, 2e9 / 32 + 1e6 + 1024);  // the first segment's gain
  EXPECT_EQ(*report.bounds[0].value, 4e6);
}

// What 2 x 2 x 2 processors attain (each receives 3 (n/2)^2 words less what it owns), whatever S.
TEST(GemmBound, TheBusiestOfEightWhateverItsMemory) {
  BoundRequest request{gemm, "", {}, {{"NI", 1200}, {"NJ", 1200}, {"NK", 1200}, {"S", 1024}}};
  request.units = 8;
  const BoundReport report = lower_bounds(request);
  const LowerBound& best = report.bounds[report.best];
  ASSERT_TRUE(best.busiest_value);
  EXPECT_NEAR(*best.busiest_value, 540'000, 1);
  EXPECT_NEAR(best.busiest.at({{"NI", 1200}, {"NJ", 1200}, {"NK", 1200}, {"p", 8}}), 540'000, 1);
}

// A fast memory of s words with least-recently-used replacement. Every run is a legal schedule, so
// what it moves is an upper bound on the optimum.
class FastMemory {
 public:
  explicit FastMemory(std::size_t s) : size_(s) {}
  std::int64_t moved = 0;

  void touch(int element, bool writes) {
    const auto found = std::find_if(words_.begin(), words_.end(),
                                    [element](const Word& w) { return w.element == element; });
    Word word{element, false};
    if (found == words_.end()) {
      ++moved;  // load
      if (words_.size() == size_) evict();
    } else {
      word = *found;
      words_.erase(found);
    }
    word.dirty = word.dirty || writes;
    words_.push_front(word);
  }
  void flush() {
    while (!words_.empty()) evict();
  }

 private:
  struct Word {
    int element;
    bool dirty;
  };
  void evict() {
    if (words_.back().dirty) ++moved;  // store
    words_.pop_back();
  }
  std::size_t size_;
  std::list<Word> words_;
};

// Runs gemm.c's statements with i, j, k tiled by t[0..2]; the first touch of C also scales it.
std::int64_t tiled_traffic(const int n[3], const int t[3], std::size_t s) {
  FastMemory memory(s);
  for (int i0 = 0; i0 < n[0]; i0 += t[0]) {
    for (int j0 = 0; j0 < n[1]; j0 += t[1]) {
      for (int k0 = 0; k0 < n[2]; k0 += t[2]) {
        for (int k = k0; k < std::min(n[2], k0 + t[2]); ++k) {
          for (int i = i0; i < std::min(n[0], i0 + t[0]); ++i) {
            for (int j = j0; j < std::min(n[1], j0 + t[1]); ++j) {
              memory.touch(1000 + i * 100 + k, false);
              memory.touch(20000 + k * 100 + j, false);
              memory.touch(40000 + i * 100 + j, true);
            }
          }
        }
      }
    }
  }
  memory.flush();
  return memory.moved;
}

TEST(GemmBound, NoScheduleBeatsIt) {
  for (const auto& n :
       {std::array{4, 4, 4}, std::array{6, 6, 6}, std::array{6, 5, 3}, std::array{2, 6, 6},
        std::array{1, 6, 6}, std::array{12, 12, 12}, std::array{16, 8, 20}}) {
    for (const int s : {4, 6, 8, 12, 24, 60, 500}) {
      std::int64_t best = INT64_MAX;
      for (const int a : {1, 2, 3, 4, 6, 12}) {
        for (const int b : {1, 2, 3, 4, 6, 12}) {
          for (const int c : {1, 2, 4, 20}) {
            const int tiles[] = {a, b, c};
            best = std::min(best, tiled_traffic(n.data(), tiles, static_cast<std::size_t>(s)));
          }
        }
      }
      for (const LowerBound& bound : at(n[0], n[1], n[2], s).bounds) {
        EXPECT_LE(*bound.value, static_cast<double>(best))
            << n[0] << n[1] << n[2] << " S=" << s << " " << bound.method;
      }
    }
  }
}

TEST(GemmBound, BadSizesAreNamed) {
  EXPECT_THROW(lower_bounds({gemm, "", {}, {{"NX", 4}}}), Error);
  EXPECT_THROW(lower_bounds({gemm, "", {}, {{"S", 0}}}), Error);
  EXPECT_THROW(lower_bounds({gemm, "", {}, {{"NI", -1}}}), Error);
}

}  // namespace
}  // namespace redblue
