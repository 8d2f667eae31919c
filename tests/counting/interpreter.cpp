// SPDX-License-Identifier: BSD-3-Clause
#include "counting/interpreter.hpp"

#include <stdexcept>

namespace redblue::counting {

namespace {

using symbolic::Rational;
using Values = std::map<std::string, Rational>;

struct Stop {};

Rational number(const Expr& e, const Values& values) {
  if (GiNaC::is_a<Rational>(e)) return GiNaC::ex_to<Rational>(e);
  if (GiNaC::is_a<Symbol>(e)) return values.at(GiNaC::ex_to<Symbol>(e).get_name());
  if (GiNaC::is_a<GiNaC::add>(e)) {
    Rational total = 0;
    for (const Expr& part : e) total = total + number(part, values);
    return total;
  }
  if (GiNaC::is_a<GiNaC::mul>(e)) {
    Rational total = 1;
    for (const Expr& part : e) total = total * number(part, values);
    return total;
  }
  const Rational a = number(e.op(0), values);
  if (GiNaC::is_a<GiNaC::power>(e)) {
    Rational result = 1;
    const int times = number(e.op(1), values).to_int();
    for (int k = 0; k < std::abs(times); ++k) result = result * a;
    return times < 0 ? 1 / result : result;
  }
  if (symbolic::is_floor(e) || symbolic::is_ceil(e)) {
    const Rational down = GiNaC::iquo(a.numer(), a.denom());
    const bool whole = a.is_integer();
    if (symbolic::is_floor(e)) return !whole && a.is_negative() ? down - 1 : down;
    return !whole && a.is_positive() ? down + 1 : down;
  }
  const Rational b = number(e.op(1), values);
  if (symbolic::is_maximum(e)) return a > b ? a : b;
  if (symbolic::is_minimum(e)) return a < b ? a : b;
  throw std::runtime_error("the interpreter does not know this function");
}

bool holds(const Comparison& c, const Values& values) {
  const Rational a = number(c.left, values);
  const Rational b = number(c.right, values);
  switch (c.relation) {
    case Relation::less:
      return a < b;
    case Relation::less_equal:
      return a <= b;
    case Relation::greater:
      return a > b;
    case Relation::greater_equal:
      return a >= b;
    case Relation::equal:
      return a == b;
    case Relation::not_equal:
      return a != b;
  }
  return false;
}

bool all_hold(const std::vector<Comparison>& conditions, const Values& values) {
  for (const Comparison& c : conditions) {
    if (!holds(c, values)) return false;
  }
  return true;
}

class Interpreter {
 public:
  Interpreter(const Program& program, Run& run, std::int64_t most)
      : program_(program), run_(run), left_(most) {}

  void execute(const Body& body, Values& values) {
    for (const Node& node : body) {
      if (const Statement* s = std::get_if<Statement>(&node.is)) ++run_.executions[s];
      if (const Loop* l = std::get_if<Loop>(&node.is)) execute(*l, values);
      if (const Branch* b = std::get_if<Branch>(&node.is)) execute(*b, values);
      if (const Call* c = std::get_if<Call>(&node.is)) execute(*c, values);
    }
  }

 private:
  void execute(const Loop& loop, Values& values) {
    std::int64_t& iterations = run_.iterations[&loop];
    for (const Variable& variable : loop.variables) {
      values[variable.symbol.get_name()] = number(variable.start, values);
    }
    while (loop.tested_at_end || all_hold(loop.guard, values)) {
      ++iterations;
      if (--left_ < 0) throw Stop{};
      execute(loop.body, values);
      if (loop.tested_at_end && !all_hold(loop.guard, values)) break;
      Values next = values;
      for (const Variable& variable : loop.variables) {
        next[variable.symbol.get_name()] = number(variable.next, values);
      }
      values = next;
    }
    for (const Variable& variable : loop.variables) {
      values[variable.exit.get_name()] = values[variable.symbol.get_name()];
    }
  }

  void execute(const Branch& branch, Values& values) {
    for (std::size_t k = 0; k < branch.paths.size(); ++k) {
      if (!all_hold(branch.paths[k].conditions, values)) continue;
      execute(branch.paths[k].body, values);
      for (const Merged& m : branch.merged) {
        values[m.symbol.get_name()] = number(m.values[k], values);
      }
      return;
    }
  }

  void execute(const Call& call, Values& values) {
    const Function& function = program_.functions.at(call.function);
    Values inside;
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      inside[function.parameters[k].get_name()] = number(call.arguments[k], values);
    }
    execute(function.body, inside);
    if (call.result) values[call.result->get_name()] = number(*function.result, inside);
  }

  const Program& program_;
  Run& run_;
  std::int64_t left_;
};

}  // namespace

Run run(const Program& program, const std::map<std::string, std::int64_t>& sizes,
        std::int64_t most) {
  Run result;
  Values values;
  for (const auto& [name, size] : sizes) values[name] = Rational(static_cast<long>(size));
  try {
    Interpreter(program, result, most).execute(program.functions.at(program.main).body, values);
  } catch (const Stop&) {
    result.complete = false;
  }
  return result;
}

Expr v(const std::string& name) {
  return symbolic::symbol(name);
}

Variable variable(const std::string& name, const Expr& start, const Expr& next) {
  return {symbolic::symbol(name), start, next, symbolic::symbol(name + "_end")};
}

Expr exit_of(const std::string& name) {
  return v(name + "_end");
}

Node loop(int line, std::vector<Variable> variables, std::vector<Comparison> guard, Body body) {
  Loop result;
  result.at = {"main", "test.c", line};
  result.variables = std::move(variables);
  result.guard = std::move(guard);
  result.body = std::move(body);
  return {result};
}

Node count_up(int line, const std::string& name, const Expr& from, const Expr& below, Body body) {
  return loop(line, {variable(name, from, v(name) + 1)}, {{v(name), Relation::less, below}},
              std::move(body));
}

Node statement(int line) {
  return {Statement{{"main", "test.c", line}, "S" + std::to_string(line), {}}};
}

Program program(Body body, const std::vector<std::string>& parameters) {
  Function function{"main", {}, std::move(body), std::nullopt};
  for (const std::string& name : parameters) {
    function.parameters.push_back(symbolic::symbol(name));
  }
  Program result;
  result.main = "main";
  result.functions["main"] = std::move(function);
  return result;
}

}  // namespace redblue::counting
