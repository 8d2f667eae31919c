// SPDX-License-Identifier: BSD-3-Clause
// What a plan moves at given sizes, as the measure of a search.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "process/ahead.hpp"
#include "redblue/pebble.hpp"
#include "schedule/search/search.hpp"

namespace redblue::schedule {

// Replays plans on the program's graph, or streams them, which knows caches only but is many times
// faster.
class Judge {
 public:
  enum class How { replayed, streamed };
  struct Answer {
    std::int64_t moved = 0;
    double spent = 0;
  };
  using Ahead = process::Ahead<Answer>;

  Judge(const program::Program& program, const program::Sizes& sizes, std::int64_t s,
        cdag::Replacement replacement, const Replayed& replayed, How how = How::replayed);
  ~Judge();

  // Loads and stores, or more than `most` where they are more, sooner.
  std::int64_t cost(const Plan& plan,
                    std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;

  // Vertices replayed so far, or what took as long, isl's operations included: the same on every
  // machine.
  double spent() const { return spent_; }

  // What plans with the same storage have in common is known from now on, also in copies of this
  // process.
  void prepare(const Plan& plan) const;

  // Where another process was asked the same before: its answers, in the order of asking, as far as
  // there are any; null: none.
  void listen(Ahead* answers) const { answers_ = answers; }
  // In that process: what it finds goes there.
  void tell(const Ahead::Send& send) const { send_ = send; }

 private:
  std::int64_t found(const Plan& plan, std::int64_t most) const;
  std::int64_t replayed(const Plan& plan) const;
  std::int64_t streamed(const Plan& plan, std::int64_t most) const;
  // What all orders with the same storage have in common.
  struct Stored;
  const Stored& stored(const std::vector<Family>& families) const;

  const program::Program& program_;
  program::Sizes sizes_;
  std::int64_t s_;
  cdag::Replacement replacement_;
  const Replayed& replayed_;
  std::optional<cdag::Graph> graph_;
  mutable double spent_ = 0;
  mutable Ahead* answers_ = nullptr;
  mutable Ahead::Send send_;
  mutable std::vector<std::unique_ptr<const Stored>> stored_;
};

}  // namespace redblue::schedule
