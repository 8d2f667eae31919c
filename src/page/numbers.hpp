// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace redblue::page {

std::string grouped(std::int64_t number);  // 1,234,567
std::string grouped(double number);        // rounded

// 950, 4,096, 63.5 M, 1.2 G: for labels with little room.
std::string short_number(double number);

// "0.0123"
std::string short_seconds(double seconds);

// The same with its unit: "12.3 ms"
std::string time_text(double seconds);

// Words moved over the words that must be: 1 where both are 0, "-" where only the bound is.
std::string ratio_text(double words, double bound, int digits = 3);

}  // namespace redblue::page
