// SPDX-License-Identifier: BSD-3-Clause
// Reads of a statement, sorted by whether two of them can find one value.
#pragma once

#include <vector>

#include "bounds/roles.hpp"

namespace redblue::bounds {

// Roles whose values may coincide for more than few instances, together; of each group those that
// are not dominated.
using ValueGroups = std::vector<std::vector<ValueRole>>;
ValueGroups value_groups(const Roles& roles);

// Those whose roles leave out some loop: others say no more than that every instance needs a value
// of its own, which may lie where the instance is computed.
ValueGroups of_several_instances(const ValueGroups& groups, int loops);

// As many as there are inputs, at least, among the values of the groups and at the starts of the
// chains: inputs, and instances whose chain begins with one.
std::vector<isl::set> inputs_of(const ValueGroups& groups, const std::vector<ChainRole>& chains);

}  // namespace redblue::bounds
