// SPDX-License-Identifier: BSD-3-Clause
// The fastest order of a program's loops near a given one, by trying.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schedule/choice/choice.hpp"

namespace redblue::measure_detail {

struct Candidate {
  schedule::codegen::Choice choice;
  std::string code;
};

// An order's, without code where isl has none: one of many, not worth the search.
Candidate candidate(const schedule::codegen::Chosen& order);

// Seconds of two codes, the least of several calls that took turns.
struct Pair {
  double first = 0, second = 0;
};

// What a search asks of the machine.
struct Trials {
  // Nothing where one does not compile, fails or is not done in time (0: it has all the time).
  std::function<std::optional<Pair>(const Candidate& first, const Candidate& second, int turns,
                                    double most_seconds)>
      time;
  std::function<bool(const Candidate&)> same_results;
  std::function<double()> seconds;  // since the search began
  std::function<void(int tried, double best_seconds)> progress;
};

struct Found {
  Candidate best;
  int tried = 0;
  double best_seconds = 0, model_seconds = 0;  // of the best and the model's choice, by turns
  std::vector<std::string> other_bits;         // choices whose code was faster and wrong
};

struct SearchRequest {
  const schedule::codegen::Orders& orders;
  schedule::codegen::Processor processor;
  Candidate start, model, source;
  double seconds = 0;  // what is under way is finished
};

// Tries the source's order and other loops that the model takes for nearly as fast; then neighbours
// of the best known, and of the next best where the best has no more. A gain of less than 3 %, or
// one that a second timing does not confirm, is noise. What comes back is as fast as the model's
// choice, in calls by turns at the end.
Found search(const SearchRequest& request, const Trials& trials);

// The fastest of the candidates, of which the first is the model's choice: another one only where
// it gains 3 % twice and has the same results. Those that are left after `seconds` are not tried.
Found fastest_of(const std::vector<Candidate>& candidates, double seconds, const Trials& trials);

}  // namespace redblue::measure_detail
