// SPDX-License-Identifier: BSD-3-Clause
// The portfolio: every bound redblue knows for a program, and the strongest of them.
#include <algorithm>

#include "analysis/least_memory.hpp"
#include "analysis/printer.hpp"
#include "analysis/statement_graph.hpp"
#include "analysis/wanted.hpp"
#include "bounds/bound.hpp"
#include "bounds/busiest/even_shares.hpp"
#include "bounds/busiest/ties.hpp"
#include "bounds/facts.hpp"
#include "bounds/gave_up.hpp"
#include "bounds/interval_table.hpp"
#include "dataflow/copies.hpp"
#include "dataflow/dependences.hpp"
#include "frontend/read.hpp"
#include "program/count.hpp"
#include "program/determined_loops.hpp"
#include "program/merge.hpp"
#include "program/operation_limit.hpp"
#include "program/straighten.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "symbolic/formula.hpp"

namespace redblue {

using bounds::Bound;
using bounds::Sizes;
using symbolic::Expr;

bool LowerBound::proved() const {
  return std::all_of(ledger.begin(), ledger.end(),
                     [](const Condition& c) { return c.status == Condition::Status::proved; });
}

bool all_hold(const std::vector<SizeCondition>& conditions,
              const std::map<std::string, std::int64_t>& sizes) {
  std::map<std::string, double> values;
  for (const auto& [name, size] : sizes) values[name] = static_cast<double>(size);
  return std::all_of(conditions.begin(), conditions.end(), [&values](const SizeCondition& c) {
    const double left = c.left.at(values);
    const double right = c.right.at(values);
    if (c.relation == "=") return left == right;
    return c.relation == ">" ? left > right : left >= right;
  });
}

bool LowerBound::holds_at(const std::map<std::string, std::int64_t>& sizes) const {
  return all_hold(holds_where, sizes);
}

namespace {

StatementInfo described(const program::Statement& s) {
  StatementInfo info;
  info.name = s.name;
  info.line = s.line;
  for (const program::Access& w : s.writes) info.text += w.text + " ";
  info.text += "<-";
  for (const program::Access& r : s.reads) info.text += " " + r.text;
  return info;
}

std::string why(const program::Array& array) {
  if (!array.why.empty()) return array.why;
  if (array.dead()) return "it dies with the function, which does not read them";
  if (array.read_after_text.empty()) return "it outlives the function";
  return "read after the region: " + array.read_after_text;
}

std::vector<FinalValues> final_values_of(const program::Program& program) {
  std::vector<FinalValues> result;
  for (const auto& [name, array] : program.arrays) {
    const bool written = std::any_of(
        program.statements.begin(), program.statements.end(), [&n = name](const auto& s) {
          return std::any_of(s.writes.begin(), s.writes.end(),
                             [&n](const program::Access& w) { return w.array == n; });
        });
    if (!written) continue;
    const std::string some = array.read_after ? array.read_after_text : name;
    result.push_back({name, !array.dead(), array.dead() ? "" : some, why(array)});
  }
  return result;
}

// The report's final values, sorted into outputs and arrays that are dead.
void list_final_values(const program::Program& program, BoundReport& report) {
  report.final_values = final_values_of(program);
  for (const FinalValues& f : report.final_values) {
    if (f.output) report.outputs.push_back(f.elements);
    if (!f.output) report.dead.push_back(f.array);
  }
}

std::vector<Bound> listed(const std::optional<Bound>& bound) {
  return bound ? std::vector<Bound>{*bound} : std::vector<Bound>();
}

}  // namespace

struct BoundedProgram::Impl {
  std::string file;
  program::Program program;
  program::Program straight;  // after straighten(); used where has_alike()
  program::Program merged;    // and merge_alike()
  std::vector<StatementInfo> statements;
  std::vector<program::Count> counts;  // of each statement's instances
  std::vector<std::string> small, assume;
  isl::set assumed;  // sizes that meet what is assumed
  std::optional<bounds::Facts> of_program, of_straight, of_merged;

  explicit Impl(const BoundRequest& request);
  BoundReport at(const std::map<std::string, std::int64_t>& given, std::int64_t units) const;
  std::vector<StatementInfo> described_for(const Sizes& sizes) const;
  std::vector<Bound> portfolio(const Sizes& sizes) const;
  bool has_alike() const { return straight.statements.size() > merged.statements.size(); }
  std::int64_t checked_memory(const std::map<std::string, std::int64_t>& given,
                              const Sizes& sizes) const;
};

BoundedProgram::Impl::Impl(const BoundRequest& request)
    : file(request.file),
      program(program::untiled(frontend::read(request))),
      small(request.small),
      assume(request.assume) {
  if (std::count(program.parameters.begin(), program.parameters.end(), "S") != 0) {
    throw Error(request.file, "a parameter is called S",
                "rename it: S is the size of the fast memory");
  }
  for (const std::string& name : small) {
    if (std::count(program.parameters.begin(), program.parameters.end(), name) == 0) {
      throw Error("small " + name, "the program has no such parameter", "");
    }
  }
  dataflow::derive_sources(program);
  straight = program::straighten(dataflow::without_copies(program));
  merged = program::merge_alike(straight);
  if (has_alike() && !dataflow::has_sources(straight)) dataflow::derive_sources(straight);
  if (!dataflow::has_sources(merged)) dataflow::derive_sources(merged);
  of_program.emplace(program);
  of_straight.emplace(straight);
  of_merged.emplace(merged);
  for (const program::Statement& s : program.statements) counts.push_back(program::count(s.domain));
  assumed = analysis::assumed_sizes(program, request.assume);
  statements = described_for(analysis::sizes_for(program, counts, {}, small, assumed));
}

std::vector<StatementInfo> BoundedProgram::Impl::described_for(const Sizes& sizes) const {
  std::vector<StatementInfo> result;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    result.push_back(described(program.statements[s]));
    analysis::Printer(sizes).add_count(counts[s], result.back());
  }
  return result;
}

std::vector<Bound> BoundedProgram::Impl::portfolio(const Sizes& sizes) const {
  std::vector<Bound> all = {bounds::compulsory(program, sizes)};
  const auto inputs = bounds::inputs(merged, sizes);
  const bounds::Amount stores = bounds::stored(program, sizes);
  // Without the bounds of a method for which some set has no count, or that takes too long.
  constexpr unsigned long most_operations = 3'000'000;
  const auto add = [&](const char* method, const std::string& statement, const auto& derive) {
    try {
      const program::OperationLimit limit(most_operations);
      for (Bound& b : derive()) all.push_back(std::move(b));
    } catch (const program::Uncountable&) {
      bounds::note_uncountable(sizes, method, statement);
    } catch (const isl::exception&) {
      bounds::note_limit(sizes, method, statement);
    }
  };
  // First those that count loads only.
  for (const program::Statement& s : merged.statements) {
    add("projection", s.name, [&] { return bounds::projections(merged, s, sizes, inputs); });
    add("projection", s.name, [&] { return bounds::dependence_projections(*of_merged, s, sizes); });
  }
  add("phases", "", [&] { return bounds::phases(*of_program, sizes); });
  add("hourglass", "", [&] { return bounds::hourglasses(*of_merged, sizes); });
  add("table", "", [&] { return bounds::interval_tables(*of_merged, sizes); });
  add("pairs", "", [&] { return bounds::sums_over_pairs(*of_merged, sizes); });
  add("projection", "", [&] { return listed(bounds::disjoint_sum(*of_merged, sizes)); });
  add("projection", "", [&] { return listed(bounds::linked_products(*of_merged, sizes)); });
  const Bound compulsory = all.front();
  const auto drop_nothing = [&] {  // not positive at large sizes
    std::erase_if(all, [&](const Bound& b) { return far_strength(b, sizes) <= 0; });
  };
  drop_nothing();
  for (Bound& b : all) {
    if (b.method != compulsory.method) bounds::add_stores(b, stores, sizes);
  }
  add("wavefront", "", [&] { return bounds::wavefronts(*of_program, sizes); });
  add("phases", "", [&] { return bounds::carried(*of_program, sizes); });
  add("crossing chains", "", [&] { return bounds::crossing_chains(*of_merged, sizes); });
  add("isoperimetry", "", [&] { return bounds::isoperimetry(*of_merged, sizes); });
  // Sweeps of two colours are alike, and read one another.
  if (has_alike())
    add("isoperimetry", "", [&] { return bounds::isoperimetry(*of_straight, sizes); });
  add("isoperimetry", "", [&] { return bounds::isoperimetry_of_clusters(*of_program, sizes); });
  drop_nothing();
  if (all.empty()) all.push_back(compulsory);
  if (sizes.units > 1) bounds::note_crossings_of_ties(*of_merged, sizes);
  bounds::add_strongest_share(all, program.parameters, sizes);
  if (program.assumed.empty()) return all;
  for (Bound& b : all) {
    for (const std::string& taken : program.assumed)
      b.ledger.push_back({taken, Condition::Status::assumed});
  }
  all.insert(all.begin(), bounds::nothing_known(sizes));
  return all;
}

// Throws Error where the memory given is too small for some vertex.
std::int64_t BoundedProgram::Impl::checked_memory(const std::map<std::string, std::int64_t>& given,
                                                  const Sizes& sizes) const {
  const analysis::LeastMemory least = analysis::least_memory(program, sizes.values);
  const auto s = given.find("S");
  if (s != given.end() && s->second < least.words) {
    throw Error("S = " + std::to_string(s->second),
                "an instance of " + least.statement + " and what it reads need " +
                    std::to_string(least.words) + " words",
                "give at least " + std::to_string(least.words), least.words);
  }
  return least.words;
}

BoundReport BoundedProgram::Impl::at(const std::map<std::string, std::int64_t>& given,
                                     std::int64_t units) const {
  Sizes sizes = analysis::sizes_for(program, counts, given, small, assumed);
  if (units < 1) throw Error(std::to_string(units) + " fast memories", "fewer than one", "");
  sizes.units = static_cast<double>(units);
  BoundReport report;
  report.program = program.name;
  report.parameters = program.parameters;
  report.statements = described_for(sizes);
  list_final_values(program, report);
  report.assume = assume;
  report.taken = program.taken;
  report.least_s = checked_memory(given, sizes);
  const std::vector<Bound> all = portfolio(sizes);
  for (const GaveUp& more : *sizes.gave_up) {
    const auto same = [&more](const GaveUp& g) {
      return g.method == more.method && g.statement == more.statement && g.reason == more.reason;
    };
    if (std::none_of(report.gave_up.begin(), report.gave_up.end(), same))
      report.gave_up.push_back(more);
  }
  const bool received = std::any_of(all.begin(), all.end(), [&sizes](const Bound& b) {
    return b.busiest && bounds::busiest_far_out(b.busiest->words.formula, sizes) > 0;
  });
  if (units > 1 && !received) {
    for (const bounds::Apart& parts : bounds::apart(*of_program))
      report.separate_parts.push_back(analysis::Printer(sizes).printed(parts));
  }
  std::vector<double> strengths;
  for (const Bound& bound : all) {
    report.bounds.push_back(analysis::Printer(sizes).printed(bound));
    strengths.push_back(strength(bound, sizes));
  }
  for (std::size_t b = 0; b < all.size(); ++b) {
    if (strengths[b] > strengths[report.best_assumed]) report.best_assumed = b;
    if (report.bounds[b].proved() && strengths[b] > strengths[report.best]) report.best = b;
  }
  return report;
}

namespace {

// What isl throws, in our words: its own name places in its sources.
template <class F>
auto explained(const std::string& file, F f) {
  try {
    return f();
  } catch (const isl::exception&) {
    throw Error(file.empty() ? "the summation" : file,
                "its loops and subscripts are too intricate to analyse together",
                "split the region, or write conditions as loop limits");
  }
}

}  // namespace

BoundedProgram::BoundedProgram(const BoundRequest& request)
    : impl_(explained(request.file, [&] { return std::make_unique<const Impl>(request); })) {}
BoundedProgram::BoundedProgram(BoundedProgram&&) noexcept = default;
BoundedProgram::~BoundedProgram() = default;

BoundReport BoundedProgram::at(const std::map<std::string, std::int64_t>& sizes,
                               std::int64_t units) const {
  return explained(impl_->file, [&] { return impl_->at(sizes, units); });
}

const std::vector<std::string>& BoundedProgram::parameters() const {
  return impl_->program.parameters;
}

const std::vector<StatementInfo>& BoundedProgram::statements() const {
  return impl_->statements;
}

StatementGraph statement_graph(const BoundedProgram& program, const BoundReport& report) {
  const BoundedProgram::Impl& read = *program.impl_;
  return explained(read.file,
                   [&] { return analysis::statement_graph(read.program, read.merged, report); });
}

BoundReport lower_bounds(const BoundRequest& request) {
  return BoundedProgram(request).at(request.sizes, request.units);
}

}  // namespace redblue
