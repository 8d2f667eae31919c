// SPDX-License-Identifier: BSD-3-Clause
// How often a place runs in the process or thread that runs it most, from what stands around it.
#pragma once

#include <optional>
#include <vector>

#include "counting/algebra/proof.hpp"
#include "counting/algebra/sum.hpp"
#include "counting/model/model.hpp"

namespace redblue::counting {

// What a place is inside of: a loop whose count is known (counter, n), or a factor: how often a
// loop with unknown count iterates on average, or whether a condition holds.
struct Level {
  std::optional<Symbol> counter;
  std::optional<Expr> n;
  Expr factor = 1;
  bool is_mean = false;  // `factor` is a mean over all entries
  std::optional<Schedule> schedule;
  Facts facts;                     // where it is entered
  Runner runner = Runner::itself;  // who runs what is inside; else it says nothing
};

using Levels = std::vector<Level>;

// A counter of one of the levels is in the range.
bool has_counter(const Range& range, const Levels& levels);

class Shares {
 public:
  Shares(const Program& program, const Facts& facts, const GiNaC::exmap& substituted)
      : program_(program), facts_(facts), substituted_(substituted) {}

  // The sum of f over the counters of all levels; nullopt: no formula is known. `apart` is set
  // where one of several threads has all of it, while others have the like (sections).
  std::optional<Range> total(const Levels& levels, const Expr& f, bool* apart = nullptr) const;

 private:
  std::optional<Range> fold(const Levels& levels, const Expr& f, bool* apart) const;
  std::optional<Range> shared(const Level& level, const Range& inner, bool* apart) const;
  std::optional<Range> part_of_thread(const Level& level, const Range& inner) const;
  std::optional<Range> part_of_tasks(Levels around, const Range& inner) const;

  const Program& program_;
  Facts facts_;
  GiNaC::exmap substituted_;
};

}  // namespace redblue::counting
