// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/projection/disjoint_parts.hpp"

#include <isl/map.h>
#include <isl/set.h>

namespace redblue::bounds {

namespace {

// Own instances whose values `other` reads in a role: they are the other's vertices; and those that
// read them.
bool gives_up_instances(const Roles& own, const Roles& other, Dropped& mine) {
  for (const ValueRole& role : other.values) {
    if (role.input || !same_space(role.range, own.statement->domain)) continue;
    const isl::set shared = role.range.intersect(own.statement->domain);
    if (!own.is_few(shared)) return false;
    mine.instances.push_back(shared);
    for (const ChainRole& chain : own.chains) {
      mine.chains.push_back(chain.values.back().intersect_range(shared).domain());
    }
    for (const ValueRole& value : own.values) mine.instances.push_back(meeting(value, shared));
  }
  return true;
}

// Values both read: one of the two must do without where that is few instances; else they are
// shared, role by role.
bool gives_up_or_shares_values(const Roles& own, const Roles& other, Dropped& mine, Dropped& theirs,
                               SharedRoles& shared) {
  for (std::size_t v = 0; v < own.values.size(); ++v) {
    for (std::size_t r = 0; r < other.values.size(); ++r) {
      const ValueRole& value = own.values[v];
      const ValueRole& role = other.values[r];
      if (!same_space(value.range, role.range) || value.range.is_disjoint(role.range)) continue;
      const isl::set here = meeting(value, role.range);
      const isl::set there = meeting(role, value.range);
      if (own.is_few(here)) {
        mine.instances.push_back(here);
      } else if (other.is_few(there)) {
        theirs.instances.push_back(there);
      } else if (!shared.emplace(v, r).second) {
        return false;  // with two roles of the other
      }
    }
  }
  return true;
}

}  // namespace

bool make_disjoint(const Roles& own, const Roles& other, Dropped& mine, Dropped& theirs,
                   SharedRoles& shared) {
  for (const ChainRole& chain : own.chains) {
    if (chain.values.size() > 1) return false;  // passes through another statement
  }
  for (const ChainRole& chain : other.chains) {
    if (chain.values.size() > 1) return false;
  }
  return gives_up_instances(own, other, mine) && gives_up_instances(other, own, theirs) &&
         gives_up_or_shares_values(own, other, mine, theirs, shared);
}

bool may_share_starts(const Roles& own, const Roles& other) {
  std::vector<isl::set> theirs = {other.statement->domain};
  for (const ValueRole& role : other.values) {
    for (const isl::set& range : role.ranges()) theirs.push_back(range);
  }
  for (const ChainRole& chain : other.chains) {
    for (const isl::map& start : chain.from_outside()) theirs.push_back(start.range());
  }
  for (const ChainRole& chain : own.chains) {
    for (const isl::map& start : chain.from_outside()) {
      const isl::set range = start.range();
      for (const isl::set& set : theirs) {
        if (same_space(range, set) && !range.is_disjoint(set)) return true;
      }
    }
  }
  return false;
}

void clear_starts(Roles& roles) {
  for (ChainRole& chain : roles.chains) chain.starts.clear(), chain.ways_to_starts.clear();
}

}  // namespace redblue::bounds
