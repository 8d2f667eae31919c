// SPDX-License-Identifier: BSD-3-Clause
// Plans judged by what they move at the sizes themselves, not at smaller ones.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/search/modelled.hpp"
#include "schedule/search/search.hpp"

namespace redblue::schedule {

// The best at the sizes themselves; of one for which that is not known `unknown` words. What parts
// of the order tell of it is kept. The last are looked at first: soonest where they are the best.
Plan best_at(const program::Program& program, const program::Sizes& sizes, std::int64_t s,
             std::vector<Plan> plans, std::int64_t unknown);

// The plan with what it moves at the sizes; where that cannot be told and can be for tiles of equal
// sides, these.
Plan with_prediction(const program::Program& program, const program::Sizes& sizes, std::int64_t s,
                     Plan plan);

// Of a plan with_prediction: where it moves much more at the sizes themselves than a model says
// that others would: the best of them; it is taken to move `unknown` words where that is not known.
// Smaller problems mislead where arrays of many dimensions get so small that they fit.
Plan beside_model(const program::Program& program, const std::vector<Modelled>& models,
                  const program::Sizes& sizes, std::int64_t s, Plan plan, std::int64_t unknown);

}  // namespace redblue::schedule
