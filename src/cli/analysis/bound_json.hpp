// SPDX-License-Identifier: BSD-3-Clause
// Bounds as JSON.
#pragma once

#include "cli/output.hpp"
#include "redblue/analysis.hpp"

namespace redblue::cli {

const char* status_name(Condition::Status status);  // "proved", "assumed"
Json summary(const LowerBound& bound);
Json to_json(const BoundReport& report);

}  // namespace redblue::cli
