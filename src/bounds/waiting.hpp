// SPDX-License-Identifier: BSD-3-Clause
// Statements whose steps, the values of the first loop, wait for one another
// (docs/methods/phases.md).
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <string>

#include "bounds/bound.hpp"
#include "dataflow/data_flow.hpp"

namespace redblue::bounds {

// Whether values only go to instances a fixed step away, as in a stencil: nothing waits for all.
bool only_fixed_steps(const dataflow::DataFlow& flow);

// The first counters of a set of instances.
isl::set steps_of(const isl::set& instances);

bool without_gaps(const isl::set& steps);

// g, 1 or 2, where every one of the instances depends on all of them g steps before, as far as a
// few rounds of readers show. `later` keeps what is found for the statement from call to call.
std::optional<long> waits_for_all(const dataflow::DataFlow& flow, const program::Statement& s,
                                  const isl::set& instances, std::optional<isl::map>& later);

// What such steps move, the steps of `instances` of `s`: each of `words` `times`, for all steps
// together, but for what fast memory keeps from one step to the next; `why` says so in the ledger.
Bound bound_of_waiting(const program::Statement& s, const isl::set& instances, long distance,
                       const Amount& words, long times, const std::string& why, const Sizes& sizes);

}  // namespace redblue::bounds
