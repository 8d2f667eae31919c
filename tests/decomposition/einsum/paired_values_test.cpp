// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "decomposition/einsum/shared_values.hpp"

namespace redblue::einsum {
namespace {

// Calls f(point) for all points of a box.
template <class F>
void for_each_point(const std::vector<Range>& box, const F& f) {
  std::vector<std::int64_t> point;
  for (const Range& r : box) {
    if (r.size() <= 0) return;
    point.push_back(r.begin);
  }
  for (;;) {
    f(point);
    std::size_t t = 0;
    while (t < box.size() && ++point[t] == box[t].end) {
      point[t] = box[t].begin;
      ++t;
    }
    if (t == box.size()) return;
  }
}

TEST(PairedValues, EveryProductIsOfOneRankThatMayFormIt) {
  std::mt19937 random(24);
  const auto size = [&random](int least, int most) {
    return least + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - least + 1));
  };
  int ways = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::int64_t values = size(2, 14);
    const auto ranks = static_cast<int>(size(static_cast<int>(values), 2 * int(values) - 1));
    const EinsumShape shape = einsum_shape(
        "bij,bjk->bik",
        {{"Nb", values}, {"Ni", size(1, 16)}, {"Nj", size(1, 16)}, {"Nk", size(1, 16)}});
    const auto batch = static_cast<std::size_t>(
        std::find_if(shape.indices.begin(), shape.indices.end(),
                     [](const EinsumIndex& i) { return i.letters == "b"; }) -
        shape.indices.begin());
    const double one = shape.products() / static_cast<double>(values);
    const double most = static_cast<double>(values) / ranks * (1 + 0.01 * double(random() % 30));
    if (batch == shape.indices.size() || most >= 1) continue;
    for (const Boxes& boxes : in_pairs(shape, {batch, values, ranks, most})) {
      ++ways;
      ASSERT_EQ(boxes.size(), static_cast<std::size_t>(ranks));
      std::vector<int> times(static_cast<std::size_t>(shape.products()));
      for (const std::vector<EinsumBox>& of_rank : boxes) {
        double products = 0;
        for (const EinsumBox& box : of_rank) {
          products += box.products();
          for_each_point(box.ranges, [&](const std::vector<std::int64_t>& point) {
            std::int64_t place = 0;
            for (std::size_t t = 0; t < point.size(); ++t)
              place = place * shape.indices[t].extent + point[t];
            ++times[static_cast<std::size_t>(place)];
          });
        }
        EXPECT_LE(products, most * one * (1 + 1e-9));
      }
      EXPECT_EQ(std::count(times.begin(), times.end(), 1), std::ssize(times));
    }
  }
  EXPECT_GT(ways, 100);
}

}  // namespace
}  // namespace redblue::einsum
