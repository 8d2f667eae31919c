// SPDX-License-Identifier: BSD-3-Clause
// Words against messages: what `plan gemm --curve` shows.
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue::cli {

void print_curve(const GemmPlanRequest& request, const std::vector<TradeOffPoint>& points);
Json curve_json(const GemmPlanRequest& request, const std::vector<TradeOffPoint>& points);

// A picture (SVG), both axes logarithmic.
std::string curve_plot(const GemmPlanRequest& request, const std::vector<TradeOffPoint>& points);

}  // namespace redblue::cli
