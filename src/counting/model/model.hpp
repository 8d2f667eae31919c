// SPDX-License-Identifier: BSD-3-Clause
// A program as counting sees it: loops over vectors of integers, conditions, statements and calls.
// Every value is written once, as in SSA form: it is a formula over
//  - parameters of the program or of the function,
//  - the variables of the loops around it (their values in the current iteration),
//  - exit values of loops, merged values of branches and results of calls that stand before it,
//  - data (Program::data): values that counting cannot know.
// Formulas are those of symbolic/expr.hpp; integer divisions are written with floor and ceil
// (symbolic::floor(x / 2)), shifts as products with powers of 2, min and max by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "symbolic/expr.hpp"

namespace redblue::counting {

using symbolic::Expr;
using symbolic::Symbol;

struct Location {
  std::string function;
  std::string file;
  int line = 0;
};

// "file:line"
inline std::string place_of(const Location& at) {
  return at.file + ":" + std::to_string(at.line);
}

enum class Relation { less, less_equal, greater, greater_equal, equal, not_equal };

struct Comparison {
  Expr left;
  Relation relation = Relation::less;
  Expr right;
};

// What one execution of a statement does, by element type ("f64", "f32", "i32", "i64", ..).
struct Operations {
  std::map<std::string, std::int64_t> flops;
  std::map<std::string, std::int64_t> loads;
  std::map<std::string, std::int64_t> stores;
};

struct Node;
using Body = std::vector<Node>;  // run one after the other

// A line, or any straight piece of code, of which counting shall tell how often it runs.
struct Statement {
  Location at;
  std::string name;
  Operations operations;
};

// An integer that the iterations of a loop change.
struct Variable {
  Symbol symbol;  // its value at the beginning of an iteration; no other variable has this symbol
  Expr start;     // its value at the beginning of the first one
  Expr next;  // .. of the next one: over the symbols of this loop and all that is known at its end
  Symbol exit;  // its value at the guard's last test (tested_at_end: that of the last iteration)
};

enum class Division { fixed, dynamic, guided };

// A loop whose iterations the processes share, as OpenMP does. Processes share iterations
// 0 .. n - 1: `fixed` without chunk gives each ceil(n / p) or less in one piece, with a chunk every
// p-th chunk; the other two as they ask for it.
struct Schedule {
  Division division = Division::fixed;
  std::optional<Expr> chunk;
};

// What an instrumented run counts, by names that the front end gives: how often something happens
// for each time that something else does. Empty: no run counts it.
struct Frequency {
  std::string times;
  std::string per;
};

struct Loop {
  Location at;
  // Which loop of the source it is, 1, 2, ..: occurrences of one (of a function called twice, of a
  // condition taken apart) have the same, and are counted together. 0: by its place.
  int id = 0;
  std::string name;  // as the user knows it: "i", or empty
  std::vector<Variable> variables;
  // Runs as long as all of them hold, over the variables' symbols. Empty: no guard is known, only
  // data end the loop.
  std::vector<Comparison> guard;
  bool tested_at_end = false;  // do .. while: the body runs once before the first test
  // Data may end the loop before its guard does (break, goto, return): its count is a symbol
  // between 0 (tested_at_end: 1) and what the guard gives.
  bool ends_early = false;
  // What the guard compares is a variable that grows or falls by numbers, and scalars that the loop
  // does not change; other code may.
  bool up_to_scalars = false;
  std::optional<Schedule> schedule;
  Frequency frequency = {};  // iterations each time it is entered
  Body body;
};

// Who runs a path: the process that comes there; a thread of its own for each iteration of the
// loop around it, numbered 0 .. p - 1; whichever thread is free.
enum class Runner { itself, thread_each, any_thread };

struct Path {
  std::vector<Comparison> conditions;  // all hold
  bool depends_on_data =
      false;  // whether it is taken cannot be known (`conditions` are needed, too)
  Body body;
  Runner runner = Runner::itself;
  Frequency frequency = {};  // how often it is taken each time the branch is reached
};

// A value that depends on the path taken.
struct Merged {
  Symbol symbol;
  std::vector<Expr> values;  // path by path
};

// At most one path is taken; where none is, nothing runs (then `merged` values are not used).
struct Branch {
  Location at;
  std::vector<Path> paths;
  std::vector<Merged> merged;
};

struct Call {
  Location at;
  std::string function;
  std::vector<Expr> arguments;   // one for each of Function::parameters
  std::optional<Symbol> result;  // stands for Function::result
};

struct Node {
  std::variant<Statement, Loop, Branch, Call> is;
};

struct Function {
  std::string name;
  std::vector<Symbol> parameters;  // integers only
  Body body;
  std::optional<Expr> result;
};

// A value that comes from data: an element of an array, what a function outside returns.
struct Datum {
  Symbol symbol;
  Location at;
  std::string text;  // "rowstr[j + 1]"
  // It may differ each time it is read; a loop or a condition that depends on it is counted by a
  // symbol u. Otherwise it is a parameter like all others.
  bool varies = true;
};

struct Program {
  std::map<std::string, Function> functions;
  std::string main;  // the function counted; its parameters are those of the formulas
  std::vector<Datum> data;
  // Parameters that the program works out, by a way that is not followed: each process has its own.
  std::set<std::string> computed;
  std::set<std::string> signs;  // parameters that tell less from more: they may be negative
  // Parameters that the program gives values itself, by their symbols' names: what a run calls
  // them.
  std::map<std::string, std::string> values;
  std::optional<Symbol>
      processes;  // how many share the work; run-time calls that yield it give this symbol
  std::optional<Symbol> rank;            // 0 .. processes - 1
  std::vector<std::string> assumptions;  // what the formulas rest on already, for the ledger
};

}  // namespace redblue::counting
