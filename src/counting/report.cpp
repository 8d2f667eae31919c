// SPDX-License-Identifier: BSD-3-Clause
// The public report.
#include <algorithm>
#include <set>
#include <sstream>

#include "counting/algebra/evaluate.hpp"
#include "counting/algebra/guard.hpp"
#include "counting/algebra/terms.hpp"
#include "counting/assumptions.hpp"
#include "counting/count.hpp"
#include "counting/grouped.hpp"
#include "counting/parallel.hpp"
#include "counting/rows.hpp"
#include "counting/walk/walk.hpp"
#include "redblue/error.hpp"
#include "symbolic/formula.hpp"

namespace redblue::counting {

namespace {

using Names = std::set<std::string>;

// Quotients with more summands than this keep their common factors, which would take minutes.
constexpr std::size_t most_cancelled = 40;

void collect(const Expr& e, Names& names) {
  if (GiNaC::is_a<Symbol>(e)) names.insert(GiNaC::ex_to<Symbol>(e).get_name());
  for (const Expr& part : e) collect(part, names);
}

void collect(const std::vector<Comparison>& conditions, Names& names) {
  for (const Comparison& c : conditions) {
    collect(c.left, names);
    collect(c.right, names);
  }
}

// All names of a body, and those that it gives values itself.
void collect(const Body& body, Names& names, Names& own) {
  for (const Node& node : body) {
    if (const Loop* loop = std::get_if<Loop>(&node.is)) {
      for (const Variable& v : loop->variables) {
        collect(v.start, names);
        collect(v.next, names);
        own.insert(v.symbol.get_name());
        own.insert(v.exit.get_name());
      }
      collect(loop->guard, names);
      if (loop->schedule && loop->schedule->chunk) collect(*loop->schedule->chunk, names);
      collect(loop->body, names, own);
    } else if (const Branch* branch = std::get_if<Branch>(&node.is)) {
      for (const Path& path : branch->paths) {
        collect(path.conditions, names);
        collect(path.body, names, own);
      }
      for (const Merged& m : branch->merged) {
        for (const Expr& value : m.values) collect(value, names);
        own.insert(m.symbol.get_name());
      }
    } else if (const Call* call = std::get_if<Call>(&node.is)) {
      for (const Expr& argument : call->arguments) collect(argument, names);
      if (call->result) own.insert(call->result->get_name());
    }
  }
}

Names parameters(const Program& program) {
  Names names;
  Names own;
  for (const auto& [name, function] : program.functions) {
    collect(function.body, names, own);
    if (function.result) collect(*function.result, names);
    for (const Symbol& parameter : function.parameters) {
      (name == program.main ? names : own).insert(parameter.get_name());
    }
  }
  for (const Datum& datum : program.data) {
    if (datum.varies) own.insert(datum.symbol.get_name());
  }
  const auto main = program.functions.find(program.main);
  if (main != program.functions.end()) {
    for (const Symbol& parameter : main->second.parameters) own.erase(parameter.get_name());
  }
  if (program.processes) names.insert(program.processes->get_name());
  for (const std::string& name : own) names.erase(name);
  return names;
}

Facts facts_of(const Program& program, const Names& names, const Assumptions& assumptions,
               bool at_least_zero) {
  Facts facts;
  for (const Fact& fact : assumptions.facts) facts = facts.with(fact);
  if (program.processes) {
    const Expr p = *program.processes;
    facts = facts.with(p - 1).with(1 / p).with(1 - 1 / p);
    if (program.rank) {
      const Expr rank = *program.rank;
      facts = facts.with(rank).with(p - 1 - rank).with((p - 1 - rank) / p);
    }
  }
  const auto is_special = [&program](const std::string& name) {
    return (program.processes && program.processes->get_name() == name) ||
           (program.rank && program.rank->get_name() == name);
  };
  if (!at_least_zero) return facts;
  std::vector<std::pair<std::string, Expr>> sizes;
  for (const std::string& name : names) {
    const Expr size = Expr(symbolic::symbol(name)).subs(assumptions.substituted);
    sizes.emplace_back(name, size);
  }
  for (const auto& [q, quotient] : assumptions.back) {
    sizes.emplace_back(symbolic::to_string(quotient), q);
  }
  for (const auto& [k, n] : assumptions.powers_of_two) {
    facts = facts.with({k, symbolic::to_string(n) + " >= 1"});
  }
  for (const auto& [name, size] : sizes) {
    if (is_special(name) || assumptions.bounded.count(name) != 0) continue;
    if (program.signs.contains(name)) continue;
    facts = facts.with({size, name + " >= 0"});
    facts = facts.with_reserve({size - 1, name + " >= 1"});
    const Expr itself = symbolic::symbol(name);  // results are formulas in it again
    if (itself.is_equal(size) || assumptions.back.count(size) != 0) continue;
    facts = facts.with({itself, name + " >= 0"});
    facts = facts.with_reserve({itself - 1, name + " >= 1"});
  }
  return facts;
}

std::string decimal(const Rational& number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

class Reporter {
 public:
  Reporter(const Program& program, const Options& options)
      : program_(program),
        options_(options),
        names_(parameters(program)),
        assumptions_(read_assumptions(options.assumptions, names_)),
        facts_(facts_of(program, names_, assumptions_, options.parameters_at_least_zero)) {
    for (const auto& [name, size] : options.sizes) sizes_[name] = Rational(static_cast<long>(size));
  }

  CountReport report();

 private:
  Count as_count(const Range& range) const;
  bool is_of_one_process(const Range& range) const;
  Range most_loaded(const Range& range) const;
  Busiest in_busiest() const {
    return [this](const Range& range) { return most_loaded(range); };
  }
  // Of what one of several processes does: all for one process, nothing for more.
  Expr least_share() const {
    return program_.processes ? symbolic::floor(1 / *program_.processes) : Expr(1);
  }
  void check_names(const Walked& walked) const;
  void add_operations(CountReport& report, const Walked& walked) const;
  void parallel(CountReport& report, const Range& total, const Walked& walked) const;
  void ledger(CountReport& report, const Walked& walked) const;

  const Program& program_;
  const Options& options_;
  Names names_;
  Assumptions assumptions_;
  Facts facts_;
  symbolic::Valuation sizes_;
  std::vector<Symbol> unknowns_;  // counts, which are not negative
  std::set<std::string> own_;     // what each process works out for itself, and unknowns
};

Count Reporter::as_count(const Range& range) const {
  const Expr lower = assumptions_.in_parameters(range.lower);
  const Expr upper = assumptions_.in_parameters(range.upper);
  Count count;
  count.exact = range.exact();
  count.lower = symbolic::formula(lower);
  count.upper = symbolic::formula(upper);
  if (const auto least = rounded_up(lower, sizes_)) {
    count.lower_value = decimal(*least);
  }
  if (const auto most = rounded_down(upper, sizes_)) {
    count.upper_value = decimal(*most);
  }
  return count;
}

// What each process works out for itself, and what data decide there, is not the same on the rank
// that has most of the rest: such a count stays that of process `rank`.
bool Reporter::is_of_one_process(const Range& range) const {
  const auto is_own = [this](const Symbol& s) { return own_.contains(s.get_name()); };
  return symbolic::any_symbol(range.lower, is_own) || symbolic::any_symbol(range.upper, is_own);
}

Range Reporter::most_loaded(const Range& range) const {
  Range busiest = range;
  if (program_.rank && program_.processes && !is_of_one_process(range))
    busiest = over_ranks(range, *program_.rank, *program_.processes, facts_);
  const Expr lower = without_empty_factors(busiest.lower, facts_);
  return {lower, busiest.exact() ? lower : without_empty_factors(busiest.upper, facts_)};
}

void Reporter::check_names(const Walked& walked) const {
  Names known = names_;
  for (const UnknownCount& u : walked.unknowns) known.insert(u.symbol.get_name());
  for (const std::string& name : assumptions_.names) {
    if (known.count(name) != 0) continue;
    std::string list;
    for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
    throw Error("the assumption about '" + name + "'", "the counts have no such symbol",
                "they have " + (list.empty() ? "none" : list));
  }
}

// Statements of one place together; by element type.
void Reporter::add_operations(CountReport& report, const Walked& walked) const {
  const Busiest busiest = in_busiest();
  std::map<std::string, std::set<bool>> runs;  // by place: whether threads that are begun run it
  const auto place = [](const CountedStatement& s) {
    return s.statement->at.function + " " + place_of(s.statement->at);
  };
  for (const CountedStatement& s : walked.statements) runs[place(s)].insert(s.begun);
  using ByType = std::map<std::string, Sum>;
  ByType flops, loads, stores;
  const auto add = [&](const CountedStatement& s, const std::map<std::string, std::int64_t>& of_one,
                       ByType& sums) {
    for (const auto& [type, times] : of_one) {
      const Expr factor = Rational(static_cast<long>(times));
      sums.try_emplace(type, least_share())
          .first->second.add(
              {(s.executions.lower * factor).expand(), (s.executions.upper * factor).expand()},
              s.begun, s.apart, runs.at(place(s)).size() > 1);
    }
  };
  for (const CountedStatement& s : walked.statements) {
    add(s, s.statement->operations.flops, flops);
    add(s, s.statement->operations.loads, loads);
    add(s, s.statement->operations.stores, stores);
    report.statements.push_back({s.statement->at.function, s.statement->at.file,
                                 s.statement->at.line, s.statement->name, 0,
                                 as_count(busiest(s.executions)), true});
  }
  const auto note = [&](const ByType& sums, std::map<std::string, Count>& counts) {
    for (const auto& [type, sum] : sums) counts[type] = as_count(sum.total(busiest, facts_));
  };
  note(flops, report.operations.flops);
  note(loads, report.operations.loads);
  note(stores, report.operations.stores);
}

void Reporter::parallel(CountReport& report, const Range& of_counters, const Walked& walked) const {
  const Range total{assumptions_.in_parameters(of_counters.lower),
                    assumptions_.in_parameters(of_counters.upper)};
  const bool shared = program_.processes && (total.upper.has(*program_.processes) ||
                                             total.lower.has(*program_.processes) ||
                                             (program_.rank && total.upper.has(*program_.rank)));
  if (!shared) {
    report.work = report.total;
    return;
  }
  const Symbol& p = *program_.processes;
  GiNaC::exmap one_process{{p, 1}};
  if (program_.rank) one_process[*program_.rank] = 0;
  const Range alone{simplified(total.lower.subs(one_process).expand(), facts_),
                    simplified(total.upper.subs(one_process).expand(), facts_)};
  report.work = as_count(alone);
  report.parallel = true;
  if (program_.rank && total.upper.has(*program_.rank)) {
    return;  // the busiest process is not known
  }
  Expr many = total.upper;
  for (const auto& [n, divisor] : assumptions_.divisible) {
    if (divisor.is_equal(p)) many = many.subs(p == n);  // p divides n: it is n at most
  }
  Facts with_counts = facts_;
  for (const Symbol& u : unknowns_) {
    if (many.has(u) && many.has(p)) with_counts = with_counts.with(u);
  }
  const Limit depth = limit(many.expand(), p, with_counts);
  if (depth.kind == Limit::Kind::finite) report.depth = symbolic::formula(depth.value);
  report.infinite_depth = depth.kind == Limit::Kind::infinite;
  const Expr all = (p * total.upper).expand();
  const bool is_short = summands(alone.lower).size() + summands(all).size() <= most_cancelled;
  const Expr efficiency = is_short ? (alone.lower / all).normal() : Expr(alone.lower / all);
  report.efficiency = symbolic::formula(efficiency);
  if (const auto e = value(efficiency, sizes_)) {
    report.efficiency_value = e->to_double();
  }
  const bool has_sections = std::any_of(walked.loops.begin(), walked.loops.end(),
                                        [](const CountedLoop& loop) { return loop.apart; });
  if (has_sections) return;  // the total is the same for all p
  if (const auto most = useful_processes(total.upper, p, facts_)) {
    report.parallelism = symbolic::formula(*most);
    const auto number = rounded_down(*most, sizes_);
    if (number) report.parallelism_value = number->to_long();
  }
}

void Reporter::ledger(CountReport& report, const Walked& walked) const {
  const auto add = [&report](const std::string& condition, Condition::Status status) {
    const bool there = std::any_of(report.ledger.begin(), report.ledger.end(),
                                   [&](const Condition& c) { return c.condition == condition; });
    if (!there) report.ledger.push_back({condition, status});
  };
  const auto assume = [&add](const std::string& c) { add(c, Condition::Status::assumed); };
  if (!walked.loops.empty()) {
    assume("the values of loop counters fit their types (no overflow)");
  }
  for (const std::string& text : program_.assumptions) assume(text);
  for (const std::string& text : options_.assumptions) assume(text);
  for (const std::string& text : facts_.used()) assume(text);
  for (const std::string& text : walked.assumed) assume(text);
  for (const CountedLoop& loop : walked.loops) {
    if (!loop.loop->schedule || loop.loop->schedule->division == Division::fixed) continue;
    assume("iterations of the loop at " + place_of(loop.loop->at) + " take equally long");
  }
  for (const UnknownCount& u : walked.unknowns) {
    if (!u.at_most) continue;
    add(u.symbol.get_name() + " <= " + symbolic::to_string(assumptions_.in_parameters(*u.at_most)),
        Condition::Status::proved);
  }
}

CountReport Reporter::report() {
  const Walked walked = walk(program_, facts_, assumptions_.substituted);
  check_names(walked);
  own_ = program_.computed;
  for (const UnknownCount& u : walked.unknowns) {
    unknowns_.push_back(u.symbol);
    own_.insert(u.symbol.get_name());
  }
  CountReport report;
  report.program = program_.main;
  Names names = names_;
  const Busiest busiest = in_busiest();
  std::set<int> by_both;
  for (const Row& row : rows(walked.loops, busiest, facts_)) {
    const Location& at = row.first->loop->at;
    if (row.by_both) by_both.insert(row.first->loop->id);
    report.loops.push_back({at.function, at.file, at.line, row.first->loop->name,
                            row.first->loop->id, as_count(row.iterations), row.affine});
  }
  Sum sum(least_share());
  for (const CountedLoop& loop : walked.loops) {
    if (!loop.innermost) continue;
    sum.add(loop.iterations, loop.begun, loop.apart, by_both.contains(loop.loop->id));
  }
  const Range total = sum.total(busiest, facts_);
  add_operations(report, walked);
  for (const UnknownCount& u : walked.unknowns) {
    names.insert(u.symbol.get_name());
    report.unknowns.push_back(
        {u.symbol.get_name(), u.at.function, u.at.file, u.at.line, u.meaning,
         u.at_most ? symbolic::formula(assumptions_.in_parameters(*u.at_most)) : Formula(), u.loop,
         u.frequency.times, u.frequency.per});
  }
  report.parameters.assign(names.begin(), names.end());
  report.total = as_count(total);
  report.formula = grouped(assumptions_.in_parameters(total.upper));
  if (!total.exact()) {
    report.formula = grouped(assumptions_.in_parameters(total.lower)) + " .. " + report.formula;
  }
  parallel(report, total, walked);
  ledger(report, walked);
  return report;
}

}  // namespace

CountReport count(const Program& program, const Options& options) {
  return Reporter(program, options).report();
}

}  // namespace redblue::counting
