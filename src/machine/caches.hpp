// SPDX-License-Identifier: BSD-3-Clause
// The data caches of this host, as Linux describes them, or, where it does not (in some virtual
// machines), as the C library does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace redblue {

struct DataCache {
  std::string level;  // "1" next to the processor
  std::int64_t bytes = 0;
  std::int64_t sharing = 1;  // processors that have it together
};

// Those that processor 0 uses, next to it first; all processors are taken to be alike. Empty where
// nothing is known.
std::vector<DataCache> data_caches();

}  // namespace redblue
