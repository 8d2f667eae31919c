// SPDX-License-Identifier: BSD-3-Clause
// What two statements must do without so that their bounds add up (docs/methods/disjoint_sum.md,
// Lemma 2).
#pragma once

#include <cstddef>
#include <map>

#include "bounds/bound.hpp"
#include "bounds/roles.hpp"

namespace redblue::bounds {

using SharedRoles = std::map<std::size_t, std::size_t>;  // own role -> the other's

// What `own` and `other` must leave out so that no vertex plays a part in both but values read in
// `shared` roles; false where that would be too much.
bool make_disjoint(const Roles& own, const Roles& other, Dropped& mine, Dropped& theirs,
                   SharedRoles& shared);

// Whether an input or a value at the start of one of `own`'s chains may play a part in the other's
// bound, too.
bool may_share_starts(const Roles& own, const Roles& other);

// Takes the chains' starts for tagged instances.
void clear_starts(Roles& roles);

}  // namespace redblue::bounds
