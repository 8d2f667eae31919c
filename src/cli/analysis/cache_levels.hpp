// SPDX-License-Identifier: BSD-3-Clause
// The caches that `redblue measure` counts traffic for.
#pragma once

#include <string>
#include <vector>

#include "cli/analysis/roofline.hpp"
#include "redblue/measure.hpp"

namespace redblue::cli {

struct Caches {
  std::vector<CacheLevel> levels;
  Roof roof = {};
};

// Those of a machine file, all its levels but main memory, the last; of this host, without a roof,
// where no file is given.
Caches caches_of(const std::string& machine_file);

}  // namespace redblue::cli
