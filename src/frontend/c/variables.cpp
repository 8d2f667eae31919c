// SPDX-License-Identifier: BSD-3-Clause
// The part of RegionReader that lists the variables a region names.
#include <isl/aff.h>
#include <isl/set.h>

#include <algorithm>

#include "frontend/c/region.hpp"

namespace redblue::frontend::c {

using program::Variable;

namespace {

// A parameter's type may hide that an extent is written: double A[N] is a pointer.
std::vector<isl::pw_aff> extents_of(const Node& variable, const Levels& shape,
                                    const std::set<std::string>& written) {
  std::vector<Node> sizes;  // innermost first
  for (const Node& child : variable.children()) {
    if (clang_isExpression(child.kind()) != 0) sizes.push_back(child);
  }
  const Scope nothing{
      isl::manage(isl_set_universe(isl_space_set_alloc(program::context().get(), 0, 0))),
      {},
      &written};
  isl_local_space* local = isl_local_space_from_space(isl_set_get_space(nothing.domain.get()));
  const isl::pw_aff unknown = isl::manage(isl_pw_aff_nan_on_domain(local));
  std::vector<isl::pw_aff> extents(shape.sized.size(), unknown);
  for (std::size_t d = extents.size(), next = 0; d-- > 0 && next < sizes.size(); ++next) {
    const bool outermost_of_parameter = d == 0 && variable.kind() == CXCursor_ParmDecl;
    if (!shape.sized[d] && !outermost_of_parameter) break;
    try {
      extents[d] = affine(sizes[next], nothing);
    } catch (const Error&) {
      continue;  // what nobody can read nobody needs but for storage
    }
  }
  return extents;
}

}  // namespace

std::string spelled_type(const Node& variable) {
  return take(clang_getTypeSpelling(clang_getUnqualifiedType(levels_of(variable.type()).element)));
}

std::vector<Variable> RegionReader::variables() const {
  std::map<std::string, Node> named;
  std::set<std::string> counters;
  for (const Node& statement : statements_) {
    visit(statement, [&](const Node& part) {
      if (part.kind() == CXCursor_ForStmt) {
        const Node start = part.children().empty() ? part : part.children().front();
        const Node name = is_assignment(start) ? stripped(start.children().at(0)) : start;
        if (name.kind() == CXCursor_DeclRefExpr) counters.insert(name.referenced().key());
        for (const Node& declared : start.children()) counters.insert(declared.key());
      }
      if (part.kind() != CXCursor_DeclRefExpr) return;
      const Node variable = part.referenced();
      if (variable.kind() != CXCursor_VarDecl && variable.kind() != CXCursor_ParmDecl) return;
      named.emplace(variable.key(), variable);
    });
  }
  std::vector<Node> ordered;
  for (const auto& [key, variable] : named) {
    if (counters.count(key) == 0) ordered.push_back(variable);
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const Node& a, const Node& b) { return a.span().begin < b.span().begin; });
  std::vector<Variable> result;
  for (const Node& variable : ordered) {
    const Levels shape = levels_of(variable.type());
    result.push_back({variable.name(), spelled_type(variable), declared_.count(variable.key()) != 0,
                      !shape.sized.empty(), extents_of(variable, shape, written_)});
  }
  return result;
}

}  // namespace redblue::frontend::c
