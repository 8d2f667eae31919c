// SPDX-License-Identifier: BSD-3-Clause
// The theorem behind all bounds of redblue/lower_bound.hpp, for any kernel.
#pragma once

#include <functional>

#include "redblue/lower_bound.hpp"

namespace redblue {

// A kernel as the theorem sees it.
struct Kernel {
  double products = 0;  // V
  double elements = 0;  // D
  // F(v): so many different elements v products have at least. F(v) / v does not grow with v.
  std::function<double(double)> least;
};

// Words that the busiest rank receives, for the best g; 0 where the formula is below it. Throws
// Error for ranks < 1.
double best_received(const Kernel& kernel, const RankLimits& limits);

}  // namespace redblue
