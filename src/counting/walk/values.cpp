// SPDX-License-Identifier: BSD-3-Clause
#include "counting/walk/values.hpp"

#include <algorithm>

#include "counting/algebra/guard.hpp"
#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

using Symbols = std::set<Expr, GiNaC::ex_is_less>;

void collect(const Expr& e, Symbols& symbols) {
  if (GiNaC::is_a<Symbol>(e)) symbols.insert(e);
  for (const Expr& part : e) collect(part, symbols);
}

void collect_conditions(const std::vector<Comparison>& conditions, Symbols& symbols) {
  for (const Comparison& c : conditions) {
    collect(c.left, symbols);
    collect(c.right, symbols);
  }
}

// What a body's nodes need for the values that are needed behind them; last to first.
void require(const Body& body, Symbols& needed);

void require(const Node& node, Symbols& needed) {
  if (const Loop* loop = std::get_if<Loop>(&node.is)) {
    const bool used =
        std::any_of(loop->variables.begin(), loop->variables.end(),
                    [&needed](const Variable& v) { return needed.count(v.exit) != 0; });
    if (!used) return;
    for (const Variable& v : loop->variables) {
      collect(v.start, needed);
      collect(v.next, needed);
    }
    collect_conditions(loop->guard, needed);
    require(loop->body, needed);
  } else if (const Branch* branch = std::get_if<Branch>(&node.is)) {
    bool used = false;
    for (const Merged& m : branch->merged) {
      if (needed.count(m.symbol) == 0) continue;
      used = true;
      for (const Expr& value : m.values) collect(value, needed);
    }
    if (!used) return;
    for (const Path& path : branch->paths) {
      collect_conditions(path.conditions, needed);
      require(path.body, needed);
    }
  } else if (const Call* call = std::get_if<Call>(&node.is)) {
    if (!call->result || needed.count(*call->result) == 0) return;
    for (const Expr& argument : call->arguments) collect(argument, needed);
  }
}

// A value that conditions one after the other choose doubles with each of them; one of more parts
// than this is taken as unknown.
constexpr int most_parts = 300;

int parts_up_to(const Expr& e, int most) {
  int parts = 1;
  for (std::size_t k = 0; k < e.nops() && parts <= most; ++k) {
    parts += parts_up_to(e.op(k), most - parts);
  }
  return parts;
}

void require(const Body& body, Symbols& needed) {
  for (auto node = body.rbegin(); node != body.rend(); ++node) require(*node, needed);
}

Comparison put(const Comparison& c, const Environment& environment) {
  return {c.left.subs(environment), c.relation, c.right.subs(environment)};
}

// 1 where all conditions hold, 0 elsewhere; nullopt for a !=.
std::optional<Expr> holds(const std::vector<Comparison>& conditions) {
  Expr result = 1;
  for (const Comparison& c : conditions) {
    if (c.relation == Relation::not_equal) {
      const auto equal = holds({{c.left, Relation::equal, c.right}});
      if (!equal) return std::nullopt;
      result *= 1 - *equal;
      continue;
    }
    for (const Guard& g : guards(c)) {
      if (!symbolic::is_integer_valued(expanded(g.h))) return std::nullopt;
      result *= indicator(g.strict ? g.h : g.h + 1);
    }
  }
  return result;
}

}  // namespace

Evaluator::Evaluator(const Program& program) : program_(program) {
  for (const Datum& datum : program.data) {
    if (datum.varies) unknown_.insert(datum.symbol);
  }
}

bool Evaluator::is_known(const Expr& e) const {
  Symbols symbols;
  collect(e, symbols);
  return std::none_of(symbols.begin(), symbols.end(),
                      [this](const Expr& s) { return unknown_.count(s) != 0; });
}

Symbol Evaluator::unknown_value() {
  const Symbol value = symbolic::symbol("_v" + std::to_string(++unknowns_));
  unknown_.insert(value);
  return value;
}

const Function* Evaluator::callee(const Call& call) const {
  const auto found = program_.functions.find(call.function);
  return found == program_.functions.end() ? nullptr : &found->second;
}

Environment Evaluator::enter(const Function& function, const Call& call, const Environment& from) {
  Environment environment;
  for (std::size_t k = 0; k < function.parameters.size() && k < call.arguments.size(); ++k) {
    environment[function.parameters[k]] = call.arguments[k].subs(from);
  }
  return environment;
}

// What an iteration adds to a variable, where that is one of several numbers.
std::optional<std::pair<Rational, Rational>> Evaluator::drift(const Expr& next,
                                                              const Symbol& variable) const {
  const auto choices = one_of_.find(next);
  if (choices == one_of_.end()) {
    const Expr step = expanded(next - variable);
    if (!GiNaC::is_a<Rational>(step)) return std::nullopt;
    return std::pair(GiNaC::ex_to<Rational>(step), GiNaC::ex_to<Rational>(step));
  }
  std::optional<std::pair<Rational, Rational>> all;
  for (const Expr& value : choices->second) {
    const auto one = drift(value, variable);
    if (!one) return std::nullopt;
    all = all ? std::pair(std::min(all->first, one->first), std::max(all->second, one->second))
              : *one;
  }
  return all;
}

// The most iterations where data choose the start of one variable, between formulas.
void Evaluator::bound_by_start(const Loop& loop, const std::vector<Update>& updates,
                               const Facts& facts, ClosedLoop& closed) const {
  const Symbol& start = symbolic::symbol("_start");
  std::vector<Update> from_start = updates;
  std::optional<std::pair<Expr, Expr>> between;
  for (Update& update : from_start) {
    const auto known = between_.find(update.start);
    if (known == between_.end()) continue;
    if (between) return;
    between = known->second;
    update.start = start;
  }
  if (!between) return;
  const Values values = closed_forms(from_start, closed.counter, facts);
  Environment inside = closed.inside;
  for (const auto& [symbol, value] : values) inside[symbol] = value;
  std::vector<Comparison> guard;
  for (const Comparison& c : loop.guard) guard.push_back(put(c, inside));
  const Facts more = facts.with(start - between->first).with(between->second - start);
  const TripCount trips = trip_count(guard, closed.counter, more, loop.tested_at_end,
                                     [this](const Expr& e) { return is_known(e); });
  if (!trips.n) return;
  const Expr change = expanded(trips.n->subs(start == start + 1) - *trips.n);
  if (more.at_least_zero(-change)) {
    closed.trips.at_most = simplified(expanded(trips.n->subs(start == between->first)), facts);
  } else if (more.at_least_zero(change)) {
    closed.trips.at_most = simplified(expanded(trips.n->subs(start == between->second)), facts);
  } else {
    return;
  }
  closed.unknown_start = true;
}

ClosedLoop Evaluator::close(const Loop& loop, const Environment& environment, const Facts& facts) {
  ClosedLoop closed{symbolic::symbol("_i" + std::to_string(++counters_)), environment, {}, {}, {}};
  std::vector<Expr> nexts;
  for (const Variable& v : loop.variables) nexts.push_back(v.next);
  const Environment at_end = after(loop.body, environment, facts, nexts);
  std::vector<Update> updates;
  for (const Variable& v : loop.variables) {
    updates.push_back(
        {v.symbol, expanded(v.start.subs(environment)), expanded(v.next.subs(at_end))});
  }
  const Values values = closed_forms(updates, closed.counter, facts);
  for (const Update& update : updates) {
    if (const auto moved = drift(update.next, update.symbol)) {
      closed.drift[update.symbol.get_name()] = *moved;
    }
  }
  for (const Variable& v : loop.variables) {
    const auto found = values.find(v.symbol);
    const bool known = found != values.end() && is_known(found->second);
    closed.inside[v.symbol] = known ? found->second : Expr(unknown_value());
  }
  for (const Comparison& c : loop.guard) closed.guard.push_back(put(c, closed.inside));
  closed.trips = trip_count(closed.guard, closed.counter, facts, loop.tested_at_end,
                            [this](const Expr& e) { return is_known(e); });
  if (!loop.ends_early && !closed.trips.n && !closed.trips.endless) {
    bound_by_start(loop, updates, facts, closed);
  }
  if (loop.ends_early && closed.trips.n) {
    closed.trips.at_most = closed.trips.n;
    closed.trips.n.reset();
  }
  if (loop.ends_early) closed.trips.endless = false;
  return closed;
}

void Evaluator::leave(const Loop& loop, const ClosedLoop& closed, Environment& environment) {
  for (const Variable& v : loop.variables) {
    const Expr& inside = closed.inside.at(v.symbol);
    if (!inside.has(closed.counter) && is_known(inside)) {
      environment[v.exit] = inside;
    } else if (!closed.trips.n || !is_known(inside)) {
      const Expr last = unknown_value();
      const Expr start = v.start.subs(environment);
      const auto moved = closed.drift.find(v.symbol.get_name());
      const auto most = closed.trips.n ? closed.trips.n : closed.trips.at_most;
      environment[v.exit] = last;
      if (moved == closed.drift.end() || !most || !is_known(*most) || !is_known(start)) continue;
      const auto& [least, largest] = moved->second;
      between_[last] = {expanded(start + std::min(least, Rational(0)) * *most),
                        expanded(start + std::max(largest, Rational(0)) * *most)};
    } else {
      const Expr last = *closed.trips.n - (loop.tested_at_end ? 1 : 0);
      environment[v.exit] = expanded(inside.subs(closed.counter == last));
    }
  }
}

void Evaluator::merge(const Branch& branch, const std::vector<Environment>& paths,
                      const Environment& before, Environment& environment) {
  for (const Merged& m : branch.merged) {
    std::vector<Expr> values;
    for (std::size_t k = 0; k < m.values.size(); ++k) {
      values.push_back(expanded(m.values[k].subs(paths[k])));
    }
    if (values.empty()) continue;
    if (std::all_of(values.begin(), values.end(),
                    [&values](const Expr& v) { return v.is_equal(values.front()); })) {
      environment[m.symbol] = values.front();
      continue;
    }
    std::optional<Expr> chosen = Expr(0);
    for (std::size_t k = 0; k < values.size() && chosen; ++k) {
      std::vector<Comparison> conditions;
      for (const Comparison& c : branch.paths[k].conditions) conditions.push_back(put(c, before));
      const auto taken = holds(conditions);
      if (!taken || branch.paths[k].depends_on_data) {
        chosen.reset();
      } else {
        chosen = *chosen + *taken * values[k];
      }
    }
    const bool readable = chosen && parts_up_to(*chosen, most_parts) <= most_parts;
    const Expr value = readable ? *chosen : Expr(unknown_value());
    one_of_[expanded(value)] = values;
    environment[m.symbol] = value;
  }
}

void Evaluator::node_after(const Node& node, Environment& environment, const Facts& facts,
                           const Symbols& needed) {
  if (const Loop* loop = std::get_if<Loop>(&node.is)) {
    if (std::any_of(loop->variables.begin(), loop->variables.end(),
                    [&needed](const Variable& v) { return needed.count(v.exit) != 0; })) {
      leave(*loop, close(*loop, environment, facts), environment);
    }
  } else if (const Branch* branch = std::get_if<Branch>(&node.is)) {
    if (std::none_of(branch->merged.begin(), branch->merged.end(),
                     [&needed](const Merged& m) { return needed.count(m.symbol) != 0; })) {
      return;
    }
    std::vector<Environment> paths;
    for (const Path& path : branch->paths) {
      Environment inside = environment;
      for (const Node& inner : path.body) node_after(inner, inside, facts, needed);
      paths.push_back(std::move(inside));
    }
    merge(*branch, paths, environment, environment);
  } else if (const Call* call = std::get_if<Call>(&node.is)) {
    if (!call->result || needed.count(*call->result) == 0) return;
    const Function* function = callee(*call);
    const bool recursive = std::find(calling_.begin(), calling_.end(), function) != calling_.end();
    if (function == nullptr || recursive || !function->result) {
      environment[*call->result] = unknown_value();
      return;
    }
    calling_.push_back(function);
    const Environment end =
        after(function->body, enter(*function, *call, environment), facts, {*function->result});
    calling_.pop_back();
    environment[*call->result] = expanded(function->result->subs(end));
  }
}

Environment Evaluator::after(const Body& body, Environment environment, const Facts& facts,
                             const std::vector<Expr>& needed) {
  Symbols symbols;
  for (const Expr& e : needed) collect(e, symbols);
  require(body, symbols);
  for (const Node& node : body) node_after(node, environment, facts, symbols);
  return environment;
}

}  // namespace redblue::counting
