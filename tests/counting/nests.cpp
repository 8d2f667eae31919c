// SPDX-License-Identifier: BSD-3-Clause
#include "counting/nests.hpp"

#include <random>
#include <vector>

namespace redblue::counting {
namespace {

using symbolic::floor;

class Nests {
 public:
  Nests(unsigned seed, bool two_paths) : random_(seed), two_paths_(two_paths) {}

  Program next() {
    line_ = 0;
    names_.clear();
    return program(body(1 + pick(3), {}), {"n", "m"});
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  int between(int low, int high) { return low + pick(high - low + 1); }
  std::string fresh() {
    names_.push_back("x" + std::to_string(names_.size()));
    return names_.back();
  }

  // A number, a parameter, or a counter of a loop around, with a small number added.
  Expr operand(const std::vector<Expr>& around) {
    const Expr shift = between(-2, 2);
    const int kind = pick(around.empty() ? 4 : 7);
    if (kind == 0) return between(0, 6);
    if (kind <= 2) return v("n") + shift;
    if (kind == 3) return v("m") + shift;
    const Expr& counter = around[static_cast<std::size_t>(pick(static_cast<int>(around.size())))];
    if (kind == 6) return v("n") - counter;
    return counter + shift;
  }

  // A later loop may use the values that an earlier one leaves.
  Body body(int depth, std::vector<Expr> around) {
    Body result;
    const int loops = pick(4) == 0 ? 2 : 1;
    const bool in_loop = !around.empty();
    const int rarity = two_paths_ ? 2 : 6;
    for (int k = 0; k < loops; ++k) {
      Node node = pick(rarity) == 0 && in_loop ? branch(depth, around) : any_loop(depth, around);
      if (const Loop* first = std::get_if<Loop>(&node.is)) {
        around.push_back(first->variables.front().exit);
      } else if (const Branch* choice = std::get_if<Branch>(&node.is)) {
        for (const Merged& m : choice->merged) around.push_back(m.symbol);
      }
      result.push_back(std::move(node));
    }
    return result;
  }

  Body inside(int depth, std::vector<Expr> around, const Expr& counter) {
    if (depth <= 1) return {};
    around.push_back(counter);
    return body(depth - 1, around);
  }

  Node any_loop(int depth, const std::vector<Expr>& around) {
    switch (pick(10)) {
      case 0:
      case 1:
      case 2:
        return affine(depth, around);
      case 3:
        return downwards(depth, around);
      case 4:
        return multiplicative(depth, around);
      case 5:
        return halving(depth, around);
      case 6:
        return coupled(depth, around);
      case 7:
        return carried(depth, around);
      case 8:
        return up_to_end(depth, around);
      default:
        return tested_at_end(depth, around);
    }
  }

  // What an inner loop leaves is where it begins next time.
  Node carried(int depth, const std::vector<Expr>& around) {
    const std::string x = fresh();
    const std::string s = fresh();
    const std::string t = fresh();
    const int line = ++line_;
    Body inner{loop(++line_, {variable(t, v(s), v(t) + between(1, 3))},
                    {{v(t), Relation::less, v(s) + between(0, 7)}}, inside(depth, around, v(t)))};
    return loop(line, {variable(x, operand(around), v(x) + 1), variable(s, 0, exit_of(t))},
                {{v(x), Relation::less, operand(around)}}, std::move(inner));
  }

  Node up_to_end(int depth, const std::vector<Expr>& around) {
    const std::string x = fresh();
    const Expr from = operand(around);
    return loop(++line_, {variable(x, from, v(x) + 1)},
                {{v(x), Relation::not_equal, symbolic::maximum(from, operand(around))}},
                inside(depth, around, v(x)));
  }

  Node affine(int depth, const std::vector<Expr>& around) {
    const std::string x = fresh();
    const int step = between(1, 3);
    const Relation relation = pick(2) == 0 ? Relation::less : Relation::less_equal;
    return loop(++line_, {variable(x, operand(around), v(x) + step)},
                {{v(x), relation, operand(around)}}, inside(depth, around, v(x)));
  }

  Node downwards(int depth, const std::vector<Expr>& around) {
    const std::string x = fresh();
    const Relation relation = pick(2) == 0 ? Relation::greater : Relation::greater_equal;
    return loop(++line_, {variable(x, operand(around), v(x) - between(1, 2))},
                {{v(x), relation, operand(around)}}, inside(depth, around, v(x)));
  }

  Node multiplicative(int depth, const std::vector<Expr>& around) {
    const std::string x = fresh();
    const Expr next = pick(3) == 0 ? 2 * v(x) + between(0, 1) : between(2, 3) * v(x);
    return loop(++line_, {variable(x, between(1, 3), next)},
                {{v(x), pick(2) == 0 ? Relation::less : Relation::less_equal, operand(around)}},
                inside(depth, around, v(x)));
  }

  Node halving(int depth, const std::vector<Expr>& around) {
    const std::string x = fresh();
    return loop(++line_, {variable(x, v("n"), floor(v(x) / between(2, 3)))},
                {{v(x), Relation::greater, between(0, 2)}}, inside(depth, around, v(x)));
  }

  Node coupled(int depth, const std::vector<Expr>& around) {
    const std::string x = fresh();
    const std::string y = fresh();
    switch (pick(3)) {
      case 0:  // towards each other
        return loop(++line_,
                    {variable(x, operand(around), v(x) + between(0, 2)),
                     variable(y, operand(around), v(y) - between(1, 2))},
                    {{v(x), Relation::less, v(y)}}, inside(depth, around, v(x)));
      case 1:  // a sum of counters
        return loop(++line_, {variable(x, 0, v(x) + v(y)), variable(y, between(1, 3), v(y) + 1)},
                    {{v(x), Relation::less, operand(around)}}, inside(depth, around, v(y)));
      default:  // powers of 3 beside 1
        return loop(++line_, {variable(x, 1, 2 * v(x) + v(y)), variable(y, 1, v(x) + 2 * v(y))},
                    {{v(x), Relation::less, operand(around)}}, inside(depth, around, v(y)));
    }
  }

  Node tested_at_end(int depth, const std::vector<Expr>& around) {
    const std::string x = fresh();
    Node node = loop(++line_, {variable(x, operand(around), v(x) + 1)},
                     {{v(x) + 1, Relation::less, operand(around)}}, inside(depth, around, v(x)));
    std::get<Loop>(node.is).tested_at_end = true;
    return node;
  }

  Node branch(int depth, const std::vector<Expr>& around) {
    const Expr& counter = around.back();
    Branch result;
    result.at = {"main", "test.c", ++line_};
    const bool parity = pick(2) == 0;
    const Comparison condition =
        parity ? Comparison{counter - 2 * floor(counter / 2), Relation::equal, 0}
               : Comparison{counter, Relation::less, operand(around)};
    result.paths.push_back({{condition}, false, {any_loop(depth, around)}});
    if (two_paths_) {
      Comparison otherwise = condition;
      otherwise.relation = parity ? Relation::not_equal : Relation::greater_equal;
      result.paths.push_back({{otherwise}, false, {any_loop(depth, around)}});
      result.merged = {{symbolic::symbol(fresh()), {operand(around), operand(around)}}};
    }
    return {result};
  }

  std::mt19937 random_;
  bool two_paths_;
  int line_ = 0;
  std::vector<std::string> names_;
};

std::string text(const Comparison& c) {
  static const std::map<Relation, std::string> signs{
      {Relation::less, " < "},    {Relation::less_equal, " <= "},
      {Relation::greater, " > "}, {Relation::greater_equal, " >= "},
      {Relation::equal, " == "},  {Relation::not_equal, " != "}};
  return symbolic::to_string(c.left) + signs.at(c.relation) + symbolic::to_string(c.right);
}

std::string text(const std::vector<Comparison>& conditions) {
  std::string all;
  for (const Comparison& c : conditions) all += (all.empty() ? "" : " && ") + text(c);
  return all.empty() ? "data" : all;
}

void print(const Body& body, const std::string& indent, std::string& out);

// The line's number, the values at first and from one iteration to the next, the guard.
void print(const Loop& loop, const std::string& indent, std::string& out) {
  std::string starts;
  std::string nexts;
  for (const Variable& v : loop.variables) {
    const std::string name = v.symbol.get_name();
    starts += (starts.empty() ? "" : ", ") + name + " = " + symbolic::to_string(v.start);
    nexts += (nexts.empty() ? "" : ", ") + name + " = " + symbolic::to_string(v.next);
  }
  const std::string guard = text(loop.guard);
  out += indent + std::to_string(loop.at.line) + ": ";
  if (loop.tested_at_end) {
    out += "for (" + starts + ";; " + nexts + ") {\n";
  } else {
    out += "for (" + starts + "; " + guard + "; " + nexts + ") {\n";
  }
  print(loop.body, indent + "  ", out);
  if (loop.tested_at_end) out += indent + "  if (!(" + guard + ")) break;\n";
  out += indent + "}\n";
}

void print(const Body& body, const std::string& indent, std::string& out) {
  for (const Node& node : body) {
    if (const Loop* loop = std::get_if<Loop>(&node.is)) print(*loop, indent, out);
    if (const Branch* branch = std::get_if<Branch>(&node.is)) {
      for (const Path& path : branch->paths) {
        out += indent + "if (" + text(path.conditions) + ") {\n";
        print(path.body, indent + "  ", out);
        for (const Merged& m : branch->merged) {
          const auto k = static_cast<std::size_t>(&path - branch->paths.data());
          out += indent + "  " + m.symbol.get_name() + " = " + symbolic::to_string(m.values[k]) +
                 ";\n";
        }
        out += indent + "}\n";
      }
    }
  }
}

}  // namespace

Program random_nest(unsigned seed, bool two_paths) {
  return Nests(seed, two_paths).next();
}

std::string text(const Program& program) {
  std::string out;
  print(program.functions.at(program.main).body, "", out);
  return out;
}

}  // namespace redblue::counting
