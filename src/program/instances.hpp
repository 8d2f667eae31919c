// SPDX-License-Identifier: BSD-3-Clause
// How many instances a program's statements have, known before any is enumerated.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "program/count.hpp"
#include "program/enumerate.hpp"

namespace redblue::program {

class InstanceCount {
 public:
  explicit InstanceCount(const Program& program);

  // Of all statements. One whose count is no formula is enumerated, as far as `most` instances.
  symbolic::Rational at(const Sizes& sizes, std::int64_t most) const;

 private:
  struct Part {
    isl::set domain;
    std::optional<Count> formula;
  };
  std::vector<Part> parts_;
};

// All sizes times `factor`, none below 4 that was not before.
Sizes scaled(const Sizes& sizes, double factor);

// The sizes, or else equally smaller ones, at which there are at most `most` instances, and how
// much smaller; found by halving an interval `steps` times.
std::pair<Sizes, double> scaled_down(const InstanceCount& instances, const Sizes& sizes,
                                     std::int64_t most, int steps);

// The instances at these sizes; throws Error where they are more than `most`, and names sizes that
// would do.
symbolic::Rational require_at_most(const Program& program, const Sizes& sizes, std::int64_t most);

}  // namespace redblue::program
