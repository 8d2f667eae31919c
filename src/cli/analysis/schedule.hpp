// SPDX-License-Identifier: BSD-3-Clause
// Lower against upper bound, as tile and bound --gap show it.
#pragma once

#include "redblue/schedule.hpp"

namespace redblue::cli {

void print(const Gap& gap);

}  // namespace redblue::cli
