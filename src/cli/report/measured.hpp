// SPDX-License-Identifier: BSD-3-Clause
// What `redblue measure` finds, on a program's page.
#pragma once

#include <string>

#include "cli/report/kernel_report.hpp"

namespace redblue::cli {

// Compiles and times the source and its order for speed, and counts what both move with S words and
// through the caches of the report's rooflines: their points are added to these and to its picture.
// Keeps why where it cannot be.
void measure_orders(KernelReport& report);

std::string measured_section(const KernelReport& report);

}  // namespace redblue::cli
