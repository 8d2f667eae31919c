// SPDX-License-Identifier: BSD-3-Clause
// How many instances a program's statements have, and how many accesses they make, known before any
// is enumerated.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "program/count.hpp"
#include "program/enumerate.hpp"

namespace redblue::program {

// An access: what an instance reads unconditionally, and what it writes.
enum class Counted { instances, accesses };

class InstanceCount {
 public:
  explicit InstanceCount(const Program& program, Counted counted = Counted::instances);
  // The points of one set, of instances or of elements.
  explicit InstanceCount(const isl::set& set);

  // Of all of them. A set whose count is no formula is enumerated, as far as `most` points.
  symbolic::Rational at(const Sizes& sizes, std::int64_t most) const;

 private:
  struct Part {
    isl::set domain;
    std::optional<Count> formula;
    long weight = 1;
  };
  std::vector<Part> parts_;
};

// The points of a set, looked at one by one; more than `most` where there are more.
std::int64_t points(const isl::set& set, const Sizes& sizes, std::int64_t most);

// All sizes times `factor`, none below 4 that was not before.
Sizes scaled(const Sizes& sizes, double factor);

// The sizes, or else equally smaller ones, at which there are at most `most` instances, and how
// much smaller; found by halving an interval `steps` times.
std::pair<Sizes, double> scaled_down(const InstanceCount& instances, const Sizes& sizes,
                                     std::int64_t most, int steps);

// The instances, or accesses, at these sizes; throws Error where they are more than `most`, and
// names sizes that would do.
symbolic::Rational require_at_most(const Program& program, const Sizes& sizes, std::int64_t most,
                                   Counted counted = Counted::instances);

}  // namespace redblue::program
