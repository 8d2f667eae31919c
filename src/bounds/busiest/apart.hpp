// SPDX-License-Identifier: BSD-3-Clause
// Programs that processors can share so that none receives anything
// (docs/methods/busiest.md, Lemma 6).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bounds/facts.hpp"

namespace redblue::bounds {

// Instances and inputs fall into parts, and whatever an instance reads is of its own part.
struct Apart {
  std::string statement, loop;  // its counter tells the parts apart
  isl::set parts;               // as many points as there are parts
  bool alike;                   // whether all have the same number of each statement's instances
};

// One for each group of statements that reads connect; empty where a group has no such parts, or
// none are found.
const std::vector<Apart>& apart(const Facts& facts);

}  // namespace redblue::bounds
