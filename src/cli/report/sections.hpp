// SPDX-License-Identifier: BSD-3-Clause
// The parts of a program's page, as HTML.
#pragma once

#include <string>

#include "cli/report/kernel_report.hpp"

namespace redblue::cli {

std::string memory_section(const KernelReport& report);    // curves over S
std::string roofline_section(const KernelReport& report);  // of a machine's caches
std::string schedule_section(const KernelReport& report);  // tiles, and what they move
std::string code_section(const KernelReport& report);      // the schedule's C
std::string source_section(const KernelReport& report);    // the program, statement by statement
std::string conditions_section(const KernelReport& report);
std::string bounds_section(const KernelReport& report);  // what every method says

}  // namespace redblue::cli
