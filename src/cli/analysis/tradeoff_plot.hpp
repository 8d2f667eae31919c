// SPDX-License-Identifier: BSD-3-Clause
// The picture that `redblue tradeoff --plot` draws.
#pragma once

#include <string>
#include <vector>

#include "redblue/tradeoff.hpp"

namespace redblue::cli {

// An SVG with a frame per product that has a curve: the least F, or W, against the number of
// synchronisations, both axes logarithmic. No schedule has a path below a curve.
std::string tradeoff_plot(const std::string& title, const std::vector<TradeoffProduct>& products);

}  // namespace redblue::cli
