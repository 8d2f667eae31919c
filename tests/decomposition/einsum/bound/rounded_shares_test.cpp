// SPDX-License-Identifier: BSD-3-Clause
// Lemma einsum.11 against divisions of batches among ranks: what their parts share is added up here
// by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "decomposition/einsum/bound/rounded_shares.hpp"

namespace redblue {
namespace {

// Half of what a part shares with the rest of its batch: Lemma einsum.7.
double half_shared(double x) {
  if (x <= 1e-12 || x >= 1 - 1e-12) return 0;
  const double e = std::exp(1.0);
  return 0.5 * std::max({4 * x * (1 - x), -e * x * std::log(x), -e * (1 - x) * std::log(1 - x)});
}

// The ranks' loads, one after another, along a line of batches.
double shared_along_a_line(const std::vector<double>& loads) {
  double sum = 0;
  double at = 0;
  for (const double load : loads) {
    double left = load;
    while (left > 1e-12) {
      const double part = std::min(left, std::floor(at + 1e-12) + 1 - at);
      sum += half_shared(part);
      at += part;
      left -= part;
    }
  }
  return sum;
}

// `parts` ranks have `each` of every batch, the others what is left of the batches.
double shared_with_rests(int batches, int ranks, int parts, double each) {
  double sum = batches * parts * half_shared(each);
  const double rest = 1 - parts * each;
  const int others = ranks - batches * parts;
  double at = 0;  // in rests
  for (int r = 0; r < others; ++r) {
    const double end = static_cast<double>(batches) * (r + 1) / others;
    while (at < end - 1e-12) {
      const double next = std::min(end, std::floor(at + 1e-12) + 1);
      sum += half_shared(rest * (next - at));
      at = next;
    }
  }
  return sum;
}

double bound(int batches, int ranks, double most) {
  return einsum::rounded_shares_bound(std::max(0.0, batches - (ranks - 1) * most), most,
                                      static_cast<double>(batches) / ranks);
}

TEST(RoundedShares, NoDivisionSharesLess) {
  std::mt19937 random(24);
  std::uniform_real_distribution<double> uniform(0, 1);
  int positive = 0;
  for (int batches = 1; batches <= 9; ++batches) {
    for (int ranks = 1; ranks <= 24; ++ranks) {
      const double even = static_cast<double>(batches) / ranks;
      for (const double evenness : {1.0, 1.03, 1.3}) {
        const double most = evenness * even;
        const double least = ranks * bound(batches, ranks, most);
        positive += least > 0 ? 1 : 0;
        for (int trial = 0; trial < 30; ++trial) {
          std::vector<double> loads(static_cast<std::size_t>(ranks), even);
          for (int change = 0; change < 3 * ranks && evenness > 1; ++change) {
            double& a = loads[random() % loads.size()];
            double& b = loads[random() % loads.size()];
            const double moved = std::min(a, most - b) * (trial % 2 == 0 ? 1 : uniform(random));
            if (&a == &b) continue;
            a -= moved;
            b += moved;
          }
          EXPECT_GE(shared_along_a_line(loads) + 1e-9, least)
              << batches << " on " << ranks << ", " << evenness;
        }
        for (int parts = 1; parts * batches < ranks; ++parts) {
          for (const double each : {even, 0.5 * (even + most), most}) {
            const int others = ranks - batches * parts;
            if (parts * each > 1 || batches * (1 - parts * each) > others * most) continue;
            EXPECT_GE(shared_with_rests(batches, ranks, parts, each) + 1e-9, least)
                << batches << " on " << ranks << ", " << parts << " of " << each;
          }
        }
      }
    }
  }
  EXPECT_GT(positive, 200);
}

// Random parts: batches cut anywhere, the pieces dealt out so that no rank has more than the most.
TEST(RoundedShares, NoRandomDivisionSharesLess) {
  std::mt19937 random(25);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 600; ++trial) {
    const int batches = 1 + static_cast<int>(random() % 5);
    const int ranks = 2 + static_cast<int>(random() % 9);
    std::vector<double> loads(static_cast<std::size_t>(ranks), 0);
    double shared = 0;
    for (int b = 0; b < batches; ++b) {
      double left = 1;
      const auto pieces = 1 + random() % 4;
      for (unsigned k = 0; k < pieces; ++k) {
        const double size = k + 1 == pieces ? left : left * uniform(random);
        left -= size;
        *std::min_element(loads.begin(), loads.end()) += size;
        shared += half_shared(size);
      }
    }
    const double most = *std::max_element(loads.begin(), loads.end());
    EXPECT_GE(shared + 1e-9, ranks * bound(batches, ranks, most)) << batches << " on " << ranks;
  }
}

// Nine ranks that share four batches evenly: two have most of a batch each, the ninth the four
// rests.
TEST(RoundedShares, IsReachedWhereTwoRanksLeaveARest) {
  EXPECT_NEAR(9 * bound(4, 9, 4.0 / 9), shared_with_rests(4, 9, 2, 4.0 / 9), 1e-3);
}

}  // namespace
}  // namespace redblue
