// SPDX-License-Identifier: BSD-3-Clause
// What was counted, put together: the occurrences of one loop of the source, all loops, and what
// threads run that the program begins itself.
#pragma once

#include <functional>
#include <vector>

#include "counting/walk/walk.hpp"

namespace redblue::counting {

// A count in the process that has most.
using Busiest = std::function<Range(const Range&)>;

// A loop of the source.
struct Row {
  const CountedLoop* first = nullptr;  // one occurrence
  Range iterations;                    // in the process or thread with most of them
  bool affine = true;
  bool by_both = false;  // threads run it that the program begins, and it does so itself
};

// In the order in which the program first meets them.
std::vector<Row> rows(const std::vector<CountedLoop>& loops, const Busiest& busiest,
                      const Facts& facts);

// What the process runs and then, while it waits, the threads that it begins.
class Sum {
 public:
  // `whole`: 1 for one process, 0 for more, the least share of what one of several does.
  explicit Sum(const Expr& whole = 0) : whole_(whole) {}
  // `by_both`: of code that is run both ways, where nobody need wait for the other.
  void add(const Range& part, bool begun, bool apart, bool by_both);
  Range total(const Busiest& busiest, const Facts& facts) const;

 private:
  Expr whole_;
  Range always_, own_, begun_;
};

}  // namespace redblue::counting
