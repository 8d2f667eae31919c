// SPDX-License-Identifier: BSD-3-Clause
// Products of F, W and S from the growth of intervals and what divides them.
#pragma once

#include <functional>

#include "redblue/tradeoff.hpp"
#include "symbolic/expr.hpp"
#include "tradeoff/chain.hpp"
#include "tradeoff/cone.hpp"
#include "tradeoff/lattice_statement.hpp"

namespace redblue::tradeoff {

// F (S + 1)^(order - 1) for a chain of n vertices whose windows of b have at least interval(b) in
// them, a convex function with interval(1) <= 1: the least over all S at these sizes, and the
// curve. O(n).
void evaluate_operations(TradeoffProduct& product, std::int64_t n, int order,
                         const std::function<double(std::int64_t)>& interval);

TradeoffProduct operations(const Chain& chain, const symbolic::Valuation& sizes);
TradeoffProduct operations(const Cone& cone, const symbolic::Valuation& sizes);

// Words, where no processor computes more than one part in `balance`.
TradeoffProduct words(const Chain& chain, const LatticeStatement& lattice, double balance,
                      const symbolic::Valuation& sizes);
TradeoffProduct words(const Cone& cone, double balance, const symbolic::Valuation& sizes);

// What part of a chain of n vertices is surely in windows that several processors share, where a
// processor with more than `majority` of the last m vertices of the chain's n has more than
// (m / n)^order `majority` of all: the larger of a half and 1 - (1 / (majority balance))^(1/order).
double shared_part(double balance, double majority, int order);

}  // namespace redblue::tradeoff
