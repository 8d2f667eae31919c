// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/projection/value_groups.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include "bounds/projection/undominated.hpp"

namespace redblue::bounds {

namespace {

bool separable(const Roles& roles, const ValueRole& a, const ValueRole& b) {
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const isl::set& range : other->ranges()) {
      if (!roles.is_few(meeting(*one, range))) return false;
    }
  }
  return true;
}

}  // namespace

ValueGroups value_groups(const Roles& roles) {
  ValueGroups groups;
  for (const ValueRole& role : roles.values) {
    std::vector<ValueRole> joined = {role};
    for (auto group = groups.begin(); group != groups.end();) {
      const bool meets = std::any_of(group->begin(), group->end(), [&](const ValueRole& other) {
        return !separable(roles, role, other);
      });
      if (meets) {
        joined.insert(joined.end(), group->begin(), group->end());
        group = groups.erase(group);
      } else {
        ++group;
      }
    }
    groups.push_back(joined);
  }
  for (auto& group : groups) group = undominated(group);
  return groups;
}

ValueGroups of_several_instances(const ValueGroups& groups, int loops) {
  ValueGroups result = groups;
  std::erase_if(result, [loops](const std::vector<ValueRole>& group) {
    return std::any_of(group.begin(), group.end(), [loops](const ValueRole& role) {
      return static_cast<int>(role.loops.size()) == loops;
    });
  });
  return result;
}

std::vector<isl::set> inputs_of(const ValueGroups& groups, const std::vector<ChainRole>& chains) {
  std::vector<isl::set> result;
  for (const auto& group : groups) {
    for (const ValueRole& role : group) {
      if (role.input) unite(result, role.range);
      for (const isl::map& more : role.more) unite(result, more.range());
    }
  }
  for (const ChainRole& chain : chains) {
    if (!chain.kept.empty()) result.push_back(chain.begun());
  }
  return result;
}

}  // namespace redblue::bounds
