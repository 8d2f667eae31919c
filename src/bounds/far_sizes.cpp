// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/far_sizes.hpp"

#include <algorithm>

namespace redblue::bounds {

using symbolic::Rational;
using symbolic::Valuation;

namespace {

Valuation in_order(const std::vector<std::string>& from_small_to_large) {
  const long room = 44 / std::max<long>(1, static_cast<long>(from_small_to_large.size()));
  const long step = std::clamp(room, 1L, 8L);
  Valuation sizes;
  long size = 5040;
  for (const std::string& p : from_small_to_large) {
    size <<= step;
    sizes[p] = Rational(size);
  }
  return sizes;
}

}  // namespace

std::vector<Valuation> sizes_far_apart(const std::vector<std::string>& parameters,
                                       const std::vector<std::string>& small) {
  std::vector<std::vector<std::string>> orders = {{parameters.rbegin(), parameters.rend()},
                                                  parameters};
  for (const std::string& p : parameters) {
    std::vector<std::string> others(parameters.rbegin(), parameters.rend());
    std::erase(others, p);
    orders.push_back(others);
    orders.back().push_back(p);
    others.insert(others.begin(), p);
    orders.push_back(others);
  }
  std::vector<Valuation> result;
  for (auto& order : orders) {
    std::stable_partition(order.begin(), order.end(), [&small](const std::string& p) {
      return std::count(small.begin(), small.end(), p) != 0;
    });
    result.push_back(in_order(order));
  }
  return result;
}

}  // namespace redblue::bounds
