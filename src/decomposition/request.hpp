// SPDX-License-Identifier: BSD-3-Clause
// What every request for a decomposition is checked for, how one is chosen and called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/cost.hpp"
#include "redblue/error.hpp"

namespace redblue {

// Throws Error for fewer than one rank to run `kernel` ("lu") on, or more than can be compared in
// seconds.
void check_ranks(const std::string& kernel, int ranks);

// Throws Error for a matrix of `kernel` whose elements are too many to count with: more than 10^18,
// or 10^15 on one side.
void check_matrix(const std::string& kernel, std::int64_t rows, std::int64_t columns);

// Throws Error for blocks of no rows, or so few that `kernel` takes more steps over this many rows
// than can be planned for in seconds.
void check_block(const std::string& kernel, std::optional<std::int64_t> block, std::int64_t rows);

// All of these, and a negative size, for a factorization of a rows x columns matrix.
void check_factorization(const std::string& kernel, std::int64_t rows, std::int64_t columns,
                         int ranks, std::optional<std::int64_t> block);

// The numbers of replicas to compare for `kernel`: the one asked for, or all up to the cube root of
// the ranks. Throws Error for fewer than one, or more than there are ranks.
std::vector<int> replica_counts(const std::string& kernel, std::optional<int> replicas, int ranks);

// How many of the ranks to look at plans for: all; on more than a thousand also fewer, in steps of
// a half, as a plan that lets ranks idle may move less than any in which they all work. Descending.
constexpr int ranks_that_all_work = 1024;
std::vector<int> worker_counts(int ranks);

// "4 grids 8 x 8, blocks of 32".
std::string grid_name(int replicas, int rows, int columns, std::int64_t block);

// The best of those decompositions that fit.
template <class D>
class Choice {
 public:
  Choice(Objective objective, std::optional<Words> memory)
      : objective_(objective), memory_(memory) {}

  void offer(D d, const Cost& cost) {
    if (memory_ && cost.memory > *memory_) {
      if (!needed_ || cost.memory < *needed_) needed_ = cost.memory;
    } else if (!best_ || better(cost, least_, objective_)) {
      least_ = cost;
      best_ = std::move(d);
    }
  }
  // Whether a decomposition that costs at least this, and fits, can be the best.
  bool may_win(const Cost& at_least) const {
    return !best_ || better(at_least, least_, objective_);
  }
  bool empty() const { return !best_; }
  // Of the best one, where there is one.
  const Cost& least() const { return least_; }
  bool fits(const Cost& cost) const { return !memory_ || cost.memory <= *memory_; }
  // Throws Error, naming `what`, where nothing fits.
  D take(const std::string& what) {
    if (!best_) refuse(what);
    return *std::move(best_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(what + " in " + std::to_string(memory_.value_or(Words()).value) + " words per rank",
                "no decomposition fits",
                "the least that does is " + std::to_string(needed_.value_or(Words()).value));
  }
  Objective objective_;
  std::optional<Words> memory_, needed_;
  std::optional<D> best_;
  Cost least_;
};

}  // namespace redblue
