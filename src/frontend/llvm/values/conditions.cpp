// SPDX-License-Identifier: BSD-3-Clause
// When branches of the IR are taken, and which value a choice has.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/values/values.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Expr;
using counting::Relation;

// A condition with more than these ways to hold counts as one that data decide.
constexpr std::size_t most_ways = 8;

Relation relation_of(llvm::CmpInst::Predicate predicate) {
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
      return Relation::equal;
    case llvm::CmpInst::ICMP_NE:
      return Relation::not_equal;
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::ICMP_ULT:
      return Relation::less;
    case llvm::CmpInst::ICMP_SLE:
    case llvm::CmpInst::ICMP_ULE:
      return Relation::less_equal;
    case llvm::CmpInst::ICMP_SGT:
    case llvm::CmpInst::ICMP_UGT:
      return Relation::greater;
    default:
      return Relation::greater_equal;
  }
}

Condition both(Condition first, const Condition& second) {
  for (const std::size_t index : second.unsigned_less) {
    first.unsigned_less.insert(first.all.size() + index);
  }
  first.all.insert(first.all.end(), second.all.begin(), second.all.end());
  first.exact = first.exact && second.exact;
  return first;
}

}  // namespace

Condition Values::when(const llvm::Value& condition, bool holds) {
  using namespace llvm::PatternMatch;
  auto* value = const_cast<llvm::Value*>(&condition);
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&condition)) {
    Condition known;
    if (constant->isOne() != holds) known.all.push_back({1, Relation::less, 0});
    return known;
  }
  llvm::Value *left = nullptr, *right = nullptr;
  if (match(value, m_Not(m_Value(left)))) return when(*left, !holds);
  const bool is_and = match(value, m_LogicalAnd(m_Value(left), m_Value(right)));
  const bool is_or = !is_and && match(value, m_LogicalOr(m_Value(left), m_Value(right)));
  if (is_and && holds) return both(when(*left, true), when(*right, true));
  if (is_or && !holds) return both(when(*left, false), when(*right, false));
  if (const auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(&condition)) {
    return when(*freeze->getOperand(0), holds);
  }
  if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&condition)) {
    return compare(*comparison, holds);
  }
  Condition unknown;
  unknown.exact = false;
  return unknown;
}

std::vector<Condition> Values::ways(const llvm::Value& condition, bool holds) {
  using namespace llvm::PatternMatch;
  auto* value = const_cast<llvm::Value*>(&condition);
  llvm::Value *left = nullptr, *right = nullptr;
  if (match(value, m_Not(m_Value(left)))) return ways(*left, !holds);
  const bool is_and = match(value, m_LogicalAnd(m_Value(left), m_Value(right)));
  const bool is_or = !is_and && match(value, m_LogicalOr(m_Value(left), m_Value(right)));
  if (!is_and && !is_or) return {when(condition, holds)};
  std::vector<Condition> all;
  const auto add_both = [&](bool first, bool second) {
    for (const Condition& one : ways(*left, first)) {
      for (const Condition& other : ways(*right, second)) all.push_back(both(one, other));
    }
  };
  if (is_and == holds) {
    add_both(holds, holds);
  } else {
    all = ways(*left, holds);
    add_both(!holds, holds);
  }
  if (all.size() > most_ways) return {when(condition, holds)};
  return all;
}

Condition Values::compare(const llvm::ICmpInst& comparison, bool holds) {
  const auto predicate = holds ? comparison.getPredicate() : comparison.getInversePredicate();
  const llvm::Value& left = *comparison.getOperand(0);
  const llvm::Value& right = *comparison.getOperand(1);
  Condition condition;
  // Whether there is something behind a pointer, and which function, is no question of numbers.
  const bool names_function =
      left.getType()->isPointerTy() &&
      (llvm::isa<llvm::Function>(left) || llvm::isa<llvm::Function>(right) ||
       llvm::isa<llvm::ConstantPointerNull>(right));
  if (!counts(left) || left.getType()->isIntegerTy(1) || names_function) {
    condition.exact = false;
    return condition;
  }
  condition.all.push_back({of(left), relation_of(predicate), of(right)});
  if (llvm::CmpInst::isUnsigned(predicate)) {
    const bool less = predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_ULE;
    if (less) {
      condition.unsigned_less.insert(0);
    } else if (left.getType()->isIntegerTy()) {
      reading_.assume("the unsigned numbers compared at " + place_of(location_of(comparison)) +
                      " have not fallen below 0");
    }
  }
  return condition;
}

Expr Values::select(const llvm::SelectInst& select) {
  llvm::Value *left = nullptr, *right = nullptr;
  auto* chosen = const_cast<llvm::SelectInst*>(&select);  // LLVM's matcher takes no const
  const auto pattern = llvm::matchSelectPattern(chosen, left, right);
  switch (pattern.Flavor) {
    case llvm::SPF_SMAX:
    case llvm::SPF_UMAX:
      return symbolic::maximum(of(*left), of(*right));
    case llvm::SPF_SMIN:
    case llvm::SPF_UMIN:
      return symbolic::minimum(of(*left), of(*right));
    default:
      return datum(select);
  }
}

}  // namespace redblue::frontend::llvm_ir
