// SPDX-License-Identifier: BSD-3-Clause
// What is said where a method gives up.
#pragma once

#include <string>

#include "bounds/bound.hpp"

namespace redblue::bounds {

// Notes that a method gave up on a statement, for isl gave up.
inline void note_limit(const Sizes& sizes, const std::string& method,
                       const std::string& statement) {
  sizes.gave_up->push_back(
      {method, statement, "its dependences are too intricate to follow in the steps allowed"});
}

// Likewise where sets it needs have points that no formula counts.
inline void note_uncountable(const Sizes& sizes, const std::string& method,
                             const std::string& statement) {
  sizes.gave_up->push_back({method, statement, "no formula counts the instances it needs"});
}

}  // namespace redblue::bounds
