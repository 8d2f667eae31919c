// SPDX-License-Identifier: BSD-3-Clause
// Who reads a value, where these are few.
#pragma once

#include <isl/cpp.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "program/enumerate.hpp"
#include "program/program.hpp"
#include "schedule/prediction/last_touches.hpp"

namespace redblue::schedule {

// An instance of a statement.
struct At {
  std::size_t statement = 0;
  std::vector<std::int64_t> iterators;
};

using Time = std::vector<std::int64_t>;

// A value has few readers where each read in the source (A[i - 1] is one) finds it in one instance
// at most, as in stencils, and of sums on their way. Whether one of these instances is still to
// come tells whether the value lives on.
class ValueReaders {
 public:
  // `times`: instance -> time. Derives the program's dependences, which takes most of the time.
  ValueReaders(const program::Program& program, const isl::union_map& times,
               const program::Sizes& sizes);

  // Whether there are values with few readers.
  bool any() const { return std::ranges::count(few_, true) > 0; }

  Time time(const At& instance) const;

  // What becomes after the time `end` of a value that an instance reads, as the statement's read of
  // this number, or computes (no number). Nothing where many may read it. O(reads of the program).
  std::optional<Fate> after(const Time& end, const At& instance, std::optional<std::size_t> read);

 private:
  // Where a read finds its value.
  struct Read {
    std::size_t of = 0;        // number of the statement, or of the array behind all statements
    program::Function source;  // reading instance -> computing one, or element
  };
  struct Reader {
    std::size_t statement = 0;
    program::Function instance;  // computing instance, or element -> reading one
  };

  // Notes who reads values of one source (reading instance -> `of`'s instance or element).
  // `domains`: of all statements; all of them at the sizes.
  Read add(const std::vector<isl::set>& domains, std::size_t statement, const isl::map& values,
           std::size_t of);

  std::vector<program::Function> time_;                  // by statement
  std::vector<std::vector<std::vector<Read>>> reads_;    // by statement and read
  std::vector<std::vector<Reader>> readers_;             // by statement, arrays behind them
  std::vector<bool> few_;                                // likewise
  std::vector<std::optional<program::Function>> final_;  // by statement: of wanted results
  std::vector<std::int64_t> value_, reader_, then_;      // room
};

}  // namespace redblue::schedule
