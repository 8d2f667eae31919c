// SPDX-License-Identifier: BSD-3-Clause
// Schedules and replays as JSON: what `redblue tile --json` and `redblue replay --json` print and
// the Python package reads.
#pragma once

#include "json/json.hpp"
#include "redblue/schedule.hpp"

namespace redblue::json {

Json to_json(const Gap& gap);
Json to_json(const Replays& replays);
Json to_json(const TiledSchedule& schedule, const Gap& gap);

}  // namespace redblue::json
