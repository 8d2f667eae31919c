#include "counting/walk/walk.hpp"

#include <algorithm>

#include "counting/algebra/guard.hpp"
#include "counting/algebra/terms.hpp"
#include "counting/walk/calls.hpp"
#include "counting/walk/values.hpp"
#include "redblue/error.hpp"

namespace redblue::counting {

namespace {

// What a place is inside of: a loop whose count is known (counter, n), or a factor: how often a
// loop with unknown count iterates on average, or whether a condition holds.
struct Level {
  std::optional<Symbol> counter;
  std::optional<Expr> n;
  Expr factor = 1;
  bool is_mean = false;  // `factor` is a mean over all entries
  std::optional<Schedule> schedule;
  Facts facts;  // where it is entered
};

using Levels = std::vector<Level>;

// A place and the calls that lead to it.
using Key = std::vector<const void*>;

class Walker {
 public:
  Walker(const Program& program, const Facts& facts, const GiNaC::exmap& substituted)
      : program_(program), facts_(facts), substituted_(substituted), evaluator_(program) {}

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
  std::optional<Range> total(const Levels& levels, const Expr& f) const;
  std::optional<Range> fold(const Levels& levels, const Expr& f) const;
  std::optional<Range> shared(const Level& level, const Range& inner) const;
  Symbol unknown(const void* place, const Location& at, const std::string& meaning,
                 const std::optional<Expr>& at_most, int loop = 0);
  bool walk(const Body& body, Environment& environment, const Facts& facts, const Levels& levels,
            const Range& executions);
  void walk_loop(const Loop& loop, Environment& environment, const Facts& facts,
                 const Levels& levels, const Range& executions);
  bool walk_branch(const Branch& branch, Environment& environment, const Facts& facts,
                   const Levels& levels, const Range& executions);
  bool walk_call(const Call& call, Environment& environment, const Facts& facts,
                 const Levels& levels, const Range& executions);
  void record(const Loop& loop, const Range& iterations, bool affine, bool innermost);

  const Program& program_;
  Facts facts_;
  GiNaC::exmap substituted_;
  Evaluator evaluator_;
  Walked result_;
  std::vector<const Function*> calling_;
  Key calls_;
  std::map<Key, Symbol> unknowns_;
  std::map<const Loop*, std::size_t> places_;
  std::map<const Statement*, std::size_t> statements_;
};

Range times(const Range& range, const Expr& factor) {
  return {expanded(range.lower * factor), expanded(range.upper * factor)};
}

bool has_counter(const Range& range, const Levels& levels) {
  return std::any_of(levels.begin(), levels.end(), [&range](const Level& level) {
    return level.counter && (range.lower.has(*level.counter) || range.upper.has(*level.counter));
  });
}

// sum over the counters of all levels of f.
std::optional<Range> Walker::total(const Levels& levels, const Expr& f) const {
  try {
    return fold(levels, f);
  } catch (const std::exception&) {  // a formula has a pole: no count by formula
    return std::nullopt;
  }
}

std::optional<Range> Walker::fold(const Levels& levels, const Expr& f) const {
  Range range{f, f};
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    if (level->is_mean) {
      if (has_counter(range, levels)) return std::nullopt;
      range = {range.lower * level->factor, range.upper * level->factor};
    } else if (!level->n) {
      range = {range.lower * level->factor, range.upper * level->factor};
    } else if (level->schedule) {
      const auto part = shared(*level, range);
      if (!part) return std::nullopt;
      range = *part;
    } else {
      const Facts known = level->facts.with(*level->n);
      const auto lower = sum(range.lower, *level->counter, 0, *level->n, known);
      if (!lower) return std::nullopt;
      if (range.exact()) {
        range = *lower;
      } else {
        const auto upper = sum(range.upper, *level->counter, 0, *level->n, known);
        if (!upper) return std::nullopt;
        range = {lower->lower, upper->upper};
      }
    }
  }
  const bool exact = range.exact();
  range.lower = simplified(expanded(range.lower), facts_);
  range.upper = exact ? range.lower : simplified(expanded(range.upper), facts_);
  return range;
}

// The most loaded process's part of the iterations.
std::optional<Range> Walker::shared(const Level& level, const Range& inner) const {
  if (!program_.processes) return std::nullopt;
  const Expr p = *program_.processes;
  const Expr& n = *level.n;
  const Symbol& i = *level.counter;
  // ceil(ceil(x) / p) = ceil(x / p)
  const Expr each = symbolic::ceil(expanded((symbolic::is_ceil(n) ? n.op(0) : n) / p));
  const Expr chunk = level.schedule->chunk.value_or(1).subs(substituted_);
  const bool by_pieces = level.schedule->chunk.has_value();
  if (!inner.lower.has(i) && !inner.upper.has(i)) {
    Range iterations{each, each};
    if (level.schedule->division == Division::guided) {
      iterations.upper = 2 * each;
    } else if (level.schedule->division == Division::dynamic) {
      iterations.upper = chunk * symbolic::ceil(symbolic::ceil(expanded(n / chunk)) / p);
    } else if (by_pieces && !chunk.is_equal(1)) {
      const Expr rounds = symbolic::floor(expanded(n / (chunk * p)));
      const Expr most = chunk * rounds + symbolic::minimum(chunk, n - chunk * p * rounds);
      iterations = {most, most};
    }
    return Range{inner.lower * iterations.lower, inner.upper * iterations.upper};
  }
  if (level.schedule->division != Division::fixed || by_pieces) return std::nullopt;
  // In one piece each: the first process has the first ceil(n / p), the last the last floor(n / p).
  const Facts known = level.facts.with(n).with(n - each);
  const Facts inside = known.with(i).with(n - 1 - i);
  const auto rises = [&](const Expr& f, int sign) {
    return inside.at_least_zero(sign * (f.subs(i == i + 1) - f));
  };
  if (rises(inner.lower, -1) && rises(inner.upper, -1)) {
    const auto lower = sum(inner.lower, i, 0, each, known);
    const auto upper = sum(inner.upper, i, 0, each, known);
    if (!lower || !upper) return std::nullopt;
    return Range{lower->lower, upper->upper};
  }
  if (!rises(inner.lower, 1) || !rises(inner.upper, 1)) return std::nullopt;
  const auto lower = sum(inner.lower, i, n - symbolic::floor(expanded(n / p)), n, known);
  const auto upper = sum(inner.upper, i, n - each, n, known);
  if (!lower || !upper) return std::nullopt;
  return Range{lower->lower, upper->upper};
}

Symbol Walker::unknown(const void* place, const Location& at, const std::string& meaning,
                       const std::optional<Expr>& at_most, int loop) {
  Key key = calls_;
  key.push_back(place);
  const auto known = unknowns_.find(key);
  if (known != unknowns_.end()) return known->second;
  const Symbol u = symbolic::symbol("u" + std::to_string(unknowns_.size() + 1));
  unknowns_.emplace(key, u);
  result_.unknowns.push_back({u, at, meaning, at_most, loop});
  return u;
}

void Walker::record(const Loop& loop, const Range& iterations, bool affine, bool innermost) {
  const auto [place, added] = places_.try_emplace(&loop, result_.loops.size());
  if (added) {
    result_.loops.push_back({&loop, iterations, affine, innermost});
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
  if (level.n) iterations = total(inner, 1);
  const bool counted = iterations.has_value();
  if (!counted) {
    std::optional<Expr> at_most = closed.trips.n ? closed.trips.n : closed.trips.at_most;
    if (at_most && has_counter({*at_most, *at_most}, inner)) at_most.reset();
    const Symbol u = unknown(&loop, loop.at, "iterations each time the loop is entered, on average",
                             at_most, loop.id);
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
  record(loop, *iterations, counted, true);
  Environment body = closed.inside;
  const bool has_loops = walk(loop.body, body, inside, inner, *iterations);
  if (has_loops) result_.loops[places_.at(&loop)].innermost = false;
  evaluator_.leave(loop, closed, environment);
}

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
    if (!taken.is_equal(1)) {
      inner.emplace_back();
      inner.back().factor = taken;
      inner.back().facts = facts;
    }
    if (known && taken.is_equal(1)) exact = executions;
    if (known && !exact) exact = total(inner, 1);
    if (exact) {
      times_taken = *exact;
    } else if (!path.body.empty()) {
      inner = levels;
      inner.emplace_back();
      inner.back().factor =
          unknown(&path, branch.at,
                  "how often a path is taken each time the branch is reached, on average", Expr(1));
      inner.back().is_mean = true;
      inner.back().facts = facts;
      times_taken = times(executions, inner.back().factor);
    }
    has_loops = walk(path.body, end, inside, inner, times_taken) || has_loops;
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
        result_.statements.push_back({statement, executions});
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
