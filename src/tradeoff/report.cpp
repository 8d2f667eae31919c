// SPDX-License-Identifier: BSD-3-Clause
// Products of a program: along the chain of a linear algebra program, or over a point of a mesh.
#include <algorithm>

#include "dataflow/dependences.hpp"
#include "frontend/read.hpp"
#include "program/enumerate.hpp"
#include "program/isl_errors.hpp"
#include "redblue/error.hpp"
#include "redblue/tradeoff.hpp"
#include "symbolic/formula.hpp"
#include "tradeoff/products.hpp"

namespace redblue {

namespace tradeoff {

namespace {

constexpr double least_balance = 9.0 / 5;

constexpr const char* nothing_found =
    "no dependency chain was found whose intervals grow faster than its length: tried were chains "
    "of instances whose loop counters all advance by one, and the sweeps of a stencil at one point "
    "of its mesh";

symbolic::Valuation valuation(const std::map<std::string, std::int64_t>& sizes) {
  symbolic::Valuation result;
  for (const auto& [name, value] : sizes)
    result[name] = symbolic::Rational(static_cast<long>(value));
  return result;
}

void describe(const Chain& chain, TradeoffReport& report) {
  report.chain = chain.text();
  report.length = symbolic::formula(chain.length);
  report.interval = symbolic::formula(chain.interval);
}

void describe(const Cone& cone, TradeoffReport& report) {
  report.chain = "sweeps of " + cone.statement->name + " at one point of the mesh";
  report.length = symbolic::formula(cone.length);
  report.interval = symbolic::formula(
      cone.leading() * GiNaC::pow(symbolic::symbol(window_length), cone.dimensions + 1));
  report.interval_is = TradeoffReport::Interval::leading;
}

// Formulas have these names for other things.
void check_names(const program::Program& program) {
  for (const std::string& name : program.parameters) {
    if (name == "S" || name == window_length || name == window_first || name == window_last) {
      throw Error(program.name, "a parameter is called " + name,
                  "rename it: S is the number of synchronisations, b the length of a window");
    }
  }
}

TradeoffReport report_of(const TradeoffRequest& request) {
  program::Program program = frontend::read(request.program);
  check_names(program);
  program::check_parameters(program, request.program.sizes);
  TradeoffReport report;
  report.program = program.name;
  report.parameters = program.parameters;
  const symbolic::Valuation sizes = valuation(request.program.sizes);
  dataflow::derive_sources(program);
  if (const auto stencil = cone(program)) {
    describe(*stencil, report);
    report.products.push_back(operations(*stencil, sizes));
    if (stencil->direct) report.products.push_back(words(*stencil, request.balance, sizes));
    return report;
  }
  const std::vector<Flow> flows = flows_of(program);
  const auto chain = fastest_chain(program, flows);
  if (!chain) {
    report.why_none = nothing_found;
    return report;
  }
  describe(*chain, report);
  const bool large = std::all_of(request.program.sizes.begin(), request.program.sizes.end(),
                                 [](const auto& size) { return size.second >= least_size; });
  const symbolic::Valuation used = large ? sizes : symbolic::Valuation();
  report.products.push_back(operations(*chain, used));
  if (const auto lattice = lattice_statement(program, flows, *chain))
    report.products.push_back(words(*chain, *lattice, request.balance, used));
  return report;
}

}  // namespace
}  // namespace tradeoff

TradeoffReport tradeoffs(const TradeoffRequest& request) {
  if (!(request.balance >= tradeoff::least_balance)) {
    throw Error("balance " + std::to_string(request.balance),
                "where one processor computes nearly all, nothing need be sent",
                "give at least 1.8");
  }
  return program::with_isl_errors_explained(request.program.file,
                                            [&] { return tradeoff::report_of(request); });
}

}  // namespace redblue
