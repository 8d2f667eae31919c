// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/structure/choices.hpp"

#include <array>

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Comparison;
using counting::Expr;
using counting::Relation;

Comparison reversed(const Comparison& c) {
  static constexpr std::array<Relation, 6> opposite{Relation::greater_equal, Relation::greater,
                                                    Relation::less_equal,    Relation::less,
                                                    Relation::not_equal,     Relation::equal};
  return {c.left, opposite.at(static_cast<std::size_t>(c.relation)), c.right};
}

bool same(const Comparison& a, const Comparison& b) {
  return a.relation == b.relation && a.left.is_equal(b.left) && a.right.is_equal(b.right);
}

// One of the symbols of an equation as what it equals; nothing where it is not linear in any.
std::optional<GiNaC::exmap> solved(const Comparison& equation) {
  const Expr difference = (equation.left - equation.right).expand();
  for (auto part = difference.preorder_begin(); part != difference.preorder_end(); ++part) {
    if (!GiNaC::is_a<GiNaC::symbol>(*part)) continue;
    const Expr factor = difference.diff(GiNaC::ex_to<GiNaC::symbol>(*part));
    if (!GiNaC::is_a<GiNaC::numeric>(factor) || factor.is_zero()) continue;
    return GiNaC::exmap{{*part, (*part - difference / factor).expand()}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Expr> extreme(const counting::Branch& branch, const std::vector<Expr>& values) {
  if (branch.paths.size() != 2) return std::nullopt;
  for (const counting::Path& path : branch.paths) {
    if (path.conditions.size() != 1 || path.depends_on_data) return std::nullopt;
  }
  const Comparison& first = branch.paths[0].conditions[0];
  if (!same(reversed(first), branch.paths[1].conditions[0])) return std::nullopt;
  const Expr &a = values[0], &b = values[1];
  // The first path's condition says a < b (a - b = left - right) or a > b.
  const Expr difference = (a - b - (first.left - first.right)).expand();
  const Expr sum = (a - b + (first.left - first.right)).expand();
  const bool less = first.relation == Relation::less || first.relation == Relation::less_equal;
  const bool more =
      first.relation == Relation::greater || first.relation == Relation::greater_equal;
  if (!less && !more) return std::nullopt;
  if (difference.is_zero()) return less ? symbolic::minimum(a, b) : symbolic::maximum(a, b);
  if (sum.is_zero()) return less ? symbolic::maximum(a, b) : symbolic::minimum(a, b);
  return std::nullopt;
}

std::optional<Expr> most_general(const counting::Branch& branch, const std::vector<Expr>& values) {
  if (values.size() != branch.paths.size()) return std::nullopt;
  const auto agrees = [&](const Expr& general, std::size_t path) {
    if (general.is_equal(values[path])) return true;
    for (const Comparison& condition : branch.paths[path].conditions) {
      if (condition.relation != Relation::equal) continue;
      const auto equal = solved(condition);
      if (equal && (general - values[path]).subs(*equal).expand().is_zero()) return true;
    }
    return false;
  };
  for (const Expr& general : values) {
    bool all = true;
    for (std::size_t path = 0; path < values.size(); ++path) all = all && agrees(general, path);
    if (all) return general;
  }
  return std::nullopt;
}

std::optional<Expr> pointer_unless_null(const llvm::PHINode& phi, const std::vector<Expr>& values) {
  if (!phi.getType()->isPointerTy()) return std::nullopt;
  std::optional<Expr> pointer;
  for (const Expr& value : values) {
    if (value.is_zero()) continue;
    if (pointer && !pointer->is_equal(value)) return std::nullopt;
    pointer = value;
  }
  return pointer;
}

}  // namespace redblue::frontend::llvm_ir
