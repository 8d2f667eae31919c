// SPDX-License-Identifier: BSD-3-Clause
// Statements and the arrays between them: who reads what from whom, and what bounds make of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "redblue/analysis.hpp"

namespace redblue {

struct StatementGraph {
  // Values pass from some instances of a statement to some of another (or of itself), as exact flow
  // dependences say. No statement in `from`: inputs of the program; in `to`: outputs.
  struct Edge {
    std::string from, to;
    std::string array;               // whose elements carry the values
    std::vector<std::string> reads;  // how `to` names them: "A[i][k]"; empty for outputs
  };

  // Statements that bounds look at as one.
  struct Merged {
    std::vector<std::string> statements;
    enum class How {
      alike,   // do the same on disjoint instances
      copies,  // make a value from one other value: what reads theirs reads that value
      on_way,  // values of one instance on its way, for bounds of stencils
    } how = How::alike;
  };

  // The statements that a bound counts, part by part, whose bounds it adds up; a part of several
  // statements is one problem for all their instances. No parts: it counts no statements (inputs
  // and outputs, or values of the whole program).
  struct Counted {
    std::size_t bound = 0;  // in BoundReport::bounds
    std::vector<std::vector<std::string>> parts;
  };

  std::vector<StatementInfo> statements;
  std::vector<Edge> edges;
  std::vector<Merged> merged;
  std::vector<Counted> sums;  // bounds of several parts, or of a part of several statements
  Counted best;               // the strongest with nothing assumed
};

// Throws Error for what isl takes too long for.
StatementGraph statement_graph(const BoundedProgram& program, const BoundReport& report);

// As Graphviz text (redblue/cdag.hpp draws it): statements that the best bound counts are filled,
// those merged stand in a frame; the sums stand below.
std::string to_dot(const StatementGraph& graph, const BoundReport& report);

}  // namespace redblue
