// SPDX-License-Identifier: BSD-3-Clause
// How far work that takes long has come.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace redblue {

struct WorkDone {
  double done = 0;
  double total = 0;       // 0: nobody knows
  std::string unit = {};  // what is counted: "states"; empty where only the share says
  std::optional<double> best_so_far = {};        // words, of a search
  std::optional<double> most_seconds_left = {};  // of a search with a time limit
  std::optional<double> best_seconds = {};       // as best_so_far, of a search for time
};

// Called now and then by work that takes long, on the thread that does it; may be empty.
using ProgressCallback = std::function<void(const WorkDone&)>;

}  // namespace redblue
