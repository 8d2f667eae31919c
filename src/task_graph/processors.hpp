// SPDX-License-Identifier: BSD-3-Clause
// Processors that several ranks share: those that compute get equal parts of them.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace redblue::task_graph {

class SharedProcessors {
 public:
  explicit SharedProcessors(double processors) : processors_(processors) {}

  // A rank begins work that takes `seconds` of a processor.
  void begin(double now, int rank, double seconds) {
    advance(now);
    work_.emplace(done_ + seconds, rank);
  }
  bool idle() const { return work_.empty(); }
  bool all_taken() const { return static_cast<double>(work_.size()) >= processors_; }
  // When the first of them is done if nothing changes until then, and who.
  double next_end() const { return now_ + (work_.top().first - done_) / speed(); }
  int finish(double now) {
    advance(now);
    const int rank = work_.top().second;
    work_.pop();
    return rank;
  }

 private:
  double speed() const { return std::min(1.0, processors_ / static_cast<double>(work_.size())); }
  void advance(double now) {
    if (!work_.empty()) done_ += (now - now_) * speed();
    now_ = now;
  }

  using Work = std::pair<double, int>;  // done_ when it is over, rank
  double processors_;
  double now_ = 0;
  double done_ = 0;  // of each rank's work since the start, had it always been there
  std::priority_queue<Work, std::vector<Work>, std::greater<>> work_;
};

}  // namespace redblue::task_graph
