// SPDX-License-Identifier: BSD-3-Clause
// The picture that `redblue count --plot` draws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace redblue::cli {

struct EfficiencyPoint {
  std::int64_t processes = 1;
  double efficiency = 1;  // T_1 / (p T_p)
};

// Numbers of processes to draw: all up to 16, then some eight for each factor of two, to `most`.
std::vector<std::int64_t> plotted_processes(std::int64_t most);

// An SVG of speedup and efficiency against the number of processes, both axes of the first and the
// horizontal one of the second logarithmic. `useful`: a mark at so many processes; 0 for none.
// Points in ascending order, at least two.
std::string efficiency_plot(const std::string& title, const std::vector<EfficiencyPoint>& points,
                            std::int64_t useful);

}  // namespace redblue::cli
