// SPDX-License-Identifier: BSD-3-Clause
// The search for a plan for a cache, without graphs.
#pragma once

#include "schedule/search/search.hpp"

namespace redblue::schedule {

// The plan that moves least through a cache of s words: each nest's best tiling at sizes of some
// hundred thousand instances, the best of them tuned at sizes of some million.
Plan best_for_cache(const program::Program& program, const program::Sizes& sizes, std::int64_t s,
                    double effort, const Replayed& replayed);

}  // namespace redblue::schedule
