// SPDX-License-Identifier: BSD-3-Clause
#include "counting/walk/walk.hpp"

#include <algorithm>

#include "counting/algebra/guard.hpp"
#include "counting/algebra/terms.hpp"
#include "counting/walk/calls.hpp"
#include "counting/walk/shares.hpp"
#include "counting/walk/values.hpp"
#include "redblue/error.hpp"

namespace redblue::counting {

namespace {

// A place and the calls that lead to it.
using Key = std::vector<const void*>;

class Walker {
 public:
  Walker(const Program& program, const Facts& facts, const GiNaC::exmap& substituted)
      : program_(program),
        facts_(facts),
        substituted_(substituted),
        shares_(program, facts, substituted),
        evaluator_(program) {}

  Walked run() {
    const auto main = program_.functions.find(program_.main);
    if (main == program_.functions.end()) {
      throw Error("counting '" + program_.main + "'", "there is no such function", "name another");
    }
    Environment environment = substituted_;
    calling_.push_back(&main->second);
    Levels levels;
    Range executions{1, 1};
    if (calls_itself(program_, main->second)) {
      for (const Symbol& parameter : main->second.parameters) {
        environment[parameter] = evaluator_.unknown_value();
      }
      levels.emplace_back();
      levels.back().factor =
          unknown(&main->second, {program_.main, "", 0},
                  "calls of " + program_.main + ", those by itself included", std::nullopt);
      levels.back().is_mean = true;
      executions = {levels.back().factor, levels.back().factor};
    }
    walk(main->second.body, environment, facts_, levels, executions);
    return std::move(result_);
  }

 private:
  Symbol unknown(const void* place, const Location& at, const std::string& meaning,
                 const std::optional<Expr>& at_most, const Frequency& frequency = {}, int loop = 0);
  bool walk(const Body& body, Environment& environment, const Facts& facts, const Levels& levels,
            const Range& executions);
  void walk_loop(const Loop& loop, Environment& environment, const Facts& facts,
                 const Levels& levels, const Range& executions);
  bool walk_branch(const Branch& branch, Environment& environment, const Facts& facts,
                   const Levels& levels, const Range& executions);
  bool walk_call(const Call& call, Environment& environment, const Facts& facts,
                 const Levels& levels, const Range& executions);
  void assume(Runner runner, const Location& at);
  void record(const Loop& loop, const Range& iterations, bool affine, bool innermost);

  const Program& program_;
  Facts facts_;

  GiNaC::exmap substituted_;
  Shares shares_;
  Evaluator evaluator_;
  Walked result_;
  std::vector<const Function*> calling_;
  Key calls_;
  std::map<Key, Symbol> unknowns_;
  std::map<const Loop*, std::size_t> places_;
  std::map<const Statement*, std::size_t> statements_;
  int begun_ = 0;  // paths around that threads of their own run
  int apart_ = 0;  // paths around that one of several threads runs
};

Range times(const Range& range, const Expr& factor) {
  return {expanded(range.lower * factor), expanded(range.upper * factor)};
}

Symbol Walker::unknown(const void* place, const Location& at, const std::string& meaning,
                       const std::optional<Expr>& at_most, const Frequency& frequency, int loop) {
  Key key = calls_;
  key.push_back(place);
  const auto known = unknowns_.find(key);
  if (known != unknowns_.end()) return known->second;
  const Symbol u = symbolic::symbol("u" + std::to_string(unknowns_.size() + 1));
  unknowns_.emplace(key, u);
  result_.unknowns.push_back({u, at, meaning, at_most, loop, frequency});
  return u;
}

void Walker::assume(Runner runner, const Location& at) {
  if (runner == Runner::thread_each) {
    result_.assumed.push_back("threads begun at " + place_of(at) +
                              " have numbers 0 .. p - 1 in this order; who begins them waits");
  } else {
    result_.assumed.push_back("a thread that is free takes the next task begun at " + place_of(at) +
                              "; its time grows with the iterations of each of its loops");
  }
}

void Walker::record(const Loop& loop, const Range& iterations, bool affine, bool innermost) {
  const auto [place, added] = places_.try_emplace(&loop, result_.loops.size());
  if (added) {
    result_.loops.push_back({&loop, iterations, affine, innermost, begun_ > 0, apart_ > 0});
    return;
  }
  CountedLoop& before = result_.loops[place->second];
  before.iterations = before.iterations + iterations;
  before.affine = before.affine && affine;
  before.innermost = before.innermost && innermost;
}

void Walker::walk_loop(const Loop& loop, Environment& environment, const Facts& facts,
                       const Levels& levels, const Range& executions) {
  const ClosedLoop closed = evaluator_.close(loop, environment, facts);
  if (closed.trips.endless && facts_.positive_if_assumed(executions.lower)) {
    throw Error("the loop at " + place_of(loop.at), "it never ends: its condition stays true",
                "count functions whose loops end");
  }
  for (const std::string& assumed : closed.trips.assumed) {
    result_.assumed.push_back(assumed + " (the loop at " + place_of(loop.at) + ")");
  }
  Level level;
  level.counter = closed.counter;
  level.n = closed.trips.n;
  level.schedule = loop.schedule;
  level.facts = facts;
  Levels inner = levels;
  inner.push_back(level);
  std::optional<Range> iterations;
  if (level.n) iterations = shares_.total(inner, 1);
  const bool counted = iterations.has_value();
  if (!counted) {
    std::optional<Expr> at_most = closed.trips.n ? closed.trips.n : closed.trips.at_most;
    if (at_most && has_counter({*at_most, *at_most}, inner)) at_most.reset();
    const Symbol u = unknown(&loop, loop.at, "iterations each time the loop is entered, on average",
                             at_most, loop.frequency, loop.id);
    inner.back().n.reset();
    inner.back().factor = u;
    inner.back().is_mean = true;
    iterations = times(executions, u);
  }
  Facts inside = facts.with(closed.counter);
  if (level.n) inside = inside.with(*level.n - 1 - closed.counter);
  if (!loop.tested_at_end) {
    for (const Comparison& c : closed.guard) {
      if (!evaluator_.is_known(c.left) || !evaluator_.is_known(c.right)) continue;
      for (const Guard& g : guards(c)) inside = inside.with(g.strict ? g.h - 1 : g.h);
    }
  }
  record(loop, *iterations, counted || closed.unknown_start || loop.up_to_scalars, true);
  Environment body = closed.inside;
  const bool has_loops = walk(loop.body, body, inside, inner, *iterations);
  if (has_loops) result_.loops[places_.at(&loop)].innermost = false;
  evaluator_.leave(loop, closed, environment);
}

// Longer than 60 lines: what is known of a path grows from step to step (conditions, facts, who
// runs it, how often), and every step needs all of it.
bool Walker::walk_branch(const Branch& branch, Environment& environment, const Facts& facts,
                         const Levels& levels, const Range& executions) {
  bool has_loops = false;
  std::vector<Environment> ends;
  for (const Path& path : branch.paths) {
    Expr taken = 1;
    bool known = !path.depends_on_data;
    Facts inside = facts;
    for (const Comparison& c : path.conditions) {
      const Comparison here{c.left.subs(environment), c.relation, c.right.subs(environment)};
      if (!evaluator_.is_known(here.left) || !evaluator_.is_known(here.right)) {
        known = false;
        continue;
      }
      if (here.relation == Relation::not_equal) {
        const Expr h = here.left - here.right;
        taken *= 1 - indicator(h + 1) * indicator(1 - h);
      }
      for (const Guard& g : guards(here)) {
        const Expr h = expanded(g.strict ? g.h : g.h + 1);
        if (facts.at_least_zero(h - 1)) continue;
        taken *= indicator(h);
        inside = inside.with(h - 1);
      }
    }
    Environment end = environment;
    Levels inner = levels;
    Range times_taken = executions;
    std::optional<Range> exact;
    if (path.runner != Runner::itself) {
      inner.emplace_back();
      inner.back().runner = path.runner;
      inner.back().facts = facts;
      exact = shares_.total(inner, 1);
      assume(path.runner, branch.at);
    }
    if (!taken.is_equal(1)) {
      inner.emplace_back();
      inner.back().factor = taken;
      inner.back().facts = facts;
    }
    if (known && !exact && taken.is_equal(1)) exact = executions;
    bool apart = false;
    if (known && !exact) exact = shares_.total(inner, 1, &apart);
    if (exact) {
      times_taken = *exact;
    } else if (!path.body.empty()) {
      inner = levels;  // also where it is not known which thread runs it
      inner.emplace_back();
      inner.back().factor = unknown(
          &path, branch.at, "how often a path is taken each time the branch is reached, on average",
          Expr(1), path.frequency);
      inner.back().is_mean = true;
      inner.back().facts = facts;
      times_taken = times(executions, inner.back().factor);
    }
    if (apart) {
      result_.assumed.push_back("the totals let one thread have all sections at " +
                                place_of(branch.at) + ", which is the most it can have");
    }
    const bool is_begun = path.runner == Runner::thread_each;
    begun_ += is_begun ? 1 : 0;
    apart_ += apart ? 1 : 0;
    const bool has_own = walk(path.body, end, inside, inner, times_taken);
    has_loops = has_loops || (has_own && path.runner == Runner::itself);
    apart_ -= apart ? 1 : 0;
    begun_ -= is_begun ? 1 : 0;
    ends.push_back(std::move(end));
  }
  evaluator_.merge(branch, ends, environment, environment);
  return has_loops;
}

bool Walker::walk_call(const Call& call, Environment& environment, const Facts& facts,
                       const Levels& levels, const Range& executions) {
  const Function* function = evaluator_.callee(call);
  const bool inside_itself =
      std::find(calling_.begin(), calling_.end(), function) != calling_.end();
  if (function == nullptr || inside_itself) {  // calls by itself: counted where it is entered
    if (call.result) environment[*call.result] = evaluator_.unknown_value();
    return false;
  }
  Environment inside = Evaluator::enter(*function, call, environment);
  Levels inner = levels;
  Range times_run = executions;
  if (calls_itself(program_, *function)) {
    for (const Symbol& parameter : function->parameters) {
      inside[parameter] = evaluator_.unknown_value();
    }
    inner.emplace_back();
    inner.back().factor = unknown(
        &call, call.at,
        "calls of " + call.function + ", those by itself included, for each from here, on average",
        std::nullopt);
    inner.back().is_mean = true;
    times_run = times(executions, inner.back().factor);
  }
  calling_.push_back(function);
  calls_.push_back(&call);
  const bool has_loops = walk(function->body, inside, facts, inner, times_run);
  calls_.pop_back();
  calling_.pop_back();
  if (call.result) {
    environment[*call.result] =
        function->result ? expanded(function->result->subs(inside)) : evaluator_.unknown_value();
  }
  return has_loops;
}

// Whether the body has loops.
bool Walker::walk(const Body& body, Environment& environment, const Facts& facts,
                  const Levels& levels, const Range& executions) {
  bool has_loops = false;
  for (const Node& node : body) {
    if (const Statement* statement = std::get_if<Statement>(&node.is)) {
      const auto [place, added] = statements_.try_emplace(statement, result_.statements.size());
      if (added) {
        result_.statements.push_back({statement, executions, begun_ > 0, apart_ > 0});
      } else {
        Range& before = result_.statements[place->second].executions;
        before = before + executions;
      }
    } else if (const Loop* loop = std::get_if<Loop>(&node.is)) {
      walk_loop(*loop, environment, facts, levels, executions);
      has_loops = true;
    } else if (const Branch* branch = std::get_if<Branch>(&node.is)) {
      has_loops = walk_branch(*branch, environment, facts, levels, executions) || has_loops;
    } else if (const Call* call = std::get_if<Call>(&node.is)) {
      has_loops = walk_call(*call, environment, facts, levels, executions) || has_loops;
    }
  }
  return has_loops;
}

}  // namespace

Walked walk(const Program& program, const Facts& facts, const GiNaC::exmap& substituted) {
  return Walker(program, facts, substituted).run();
}

}  // namespace redblue::counting
