// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds that are products: what a parallel schedule may save in synchronisations it pays for
// in operations or words along one path [solomonik2016].
//
// The schedule model: a DAG of tasks, one path of tasks per processor; a processor computes
// vertices, sends and receives values, and synchronises with others. What is sent can be used
// elsewhere only behind a synchronisation both take part in. Of a path through the schedule
//   F  counts the vertices computed on it (statement instances; a vertex is one multiplication and
//      subtraction of a linear algebra program, so two floating-point operations),
//   W  counts the values sent and received on it,
//   S  counts the synchronisations on it.
// Inputs may lie anywhere, any number of processors may take part. A product says: every schedule
// has a path with at least that. It also holds for the largest F, W and S over all paths.
// docs/methods/tradeoffs.md has the proofs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redblue/analysis.hpp"
#include "redblue/cdag.hpp"
#include "redblue/formula.hpp"

namespace redblue {

// left >= right, for example F (S + 1)^2 >= N^3/6.
struct TradeoffProduct {
  std::string name;     // "F S^2", "W S", "F S", "W"
  std::string formula;  // the inequality as text; "F S^2 = Omega(N^3)" where no constant is proved
  Formula left;         // in F, W and S
  Formula right;        // in the parameters, and S where lower terms count
  // What is claimed: left >= right; left >= right (1 - o(1)), as the parameters grow; or that some
  // constant times right is below left.
  enum class Claim { bound, leading, order } claim = Claim::bound;
  // Of the leading term, where it is a plain number; nothing where only an order is proved.
  std::optional<double> constant;
  std::optional<double> value;    // of the right-hand side, for every S at the given sizes
  std::vector<Condition> ledger;  // proved steps, and what is assumed of schedules and sizes
  // At the given sizes: the least F (or W) for some numbers of synchronisations, ascending in S.
  std::vector<std::pair<std::int64_t, double>> curve;
};

struct TradeoffReport {
  std::string program;
  std::vector<std::string> parameters;
  // The dependency chain the products are proved along; empty where there is none.
  std::string chain;  // "S3(t)", its t-th vertex
  Formula length;     // how many vertices it has
  // In b: how many vertices stand between two of its vertices b - 1 steps apart; of that, all, the
  // leading term, or, of explicit graphs, the number for b = length alone.
  Formula interval;
  enum class Interval { all, leading, longest } interval_is = Interval::all;
  std::vector<TradeoffProduct> products;
  std::string why_none;  // where there are no products: the reason; else empty
};

struct TradeoffRequest {
  BoundRequest program;  // S is no size here: it is a number of synchronisations
  // Words only: no processor computes more than one part in `balance` of the interval's vertices.
  double balance = 2;
};

// Products of a program (C, Python or an einsum). Throws Error as lower_bounds does, and for a
// balance below 9/5.
TradeoffReport tradeoffs(const TradeoffRequest& request);

namespace cdag {

// Products of one explicit graph along a chain of its vertices, all numbers exact: the least F for
// every S. `chain`: computed vertices, each reached from the one before; empty: one is searched.
// O(chain^2) intervals. Throws Error for a chain that is none.
TradeoffReport tradeoffs(const Graph& graph, std::vector<Vertex> chain = {});

}  // namespace cdag

}  // namespace redblue
