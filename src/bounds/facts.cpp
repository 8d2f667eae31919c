// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/facts.hpp"

namespace redblue::bounds {

using program::Statement;

const Roles& Facts::roles(const Statement& statement, bool all_sources) const {
  return once(statement.name + (all_sources ? ": roles from all sources" : ": roles"),
              [&] { return roles_of(*program_, statement, all_sources); });
}

const std::optional<Roles>& Facts::with_longer_chains(const Statement& statement) const {
  return once(statement.name + ": longer chains", [&] {
    std::optional<Roles> more = roles(statement, true);
    if (more->loops() <= 2 || !add_longer_chains(*more)) more.reset();
    return more;
  });
}

const std::optional<Contracted>& Facts::contracted(const Statement& statement) const {
  return once(statement.name + ": contracted",
              [&] { return bounds::contracted(*program_, statement); });
}

const Roles& Facts::contracted_roles(const Statement& statement) const {
  return once(statement.name + ": roles when contracted", [&] {
    const Contracted& through = *contracted(statement);
    Roles result = roles_of(*program_, through.statement);
    result.chains = roles_of(*program_, through.direct).chains;
    return result;
  });
}

}  // namespace redblue::bounds
