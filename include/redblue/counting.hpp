// SPDX-License-Identifier: BSD-3-Clause
// How often every loop and statement of a program runs, as formulas in its parameters; from them
// work, depth and parallel efficiency.
//
// A count is exact, or lies between two formulas, both proved. What cannot be known from the code
// (loops that end by data) is a symbol u1, u2, .. with its place in the source. Everything that a
// count rests on beyond the code stands in the ledger.
//
// Formulas are values (redblue/formula.hpp) in parameters, unknowns and the number of processes p;
// one that is none is not known. Numbers at given sizes are exact integers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redblue/analysis.hpp"
#include "redblue/formula.hpp"

namespace redblue {

// How often something runs: exactly `lower` = `upper`, or between the two.
struct Count {
  Formula lower;
  Formula upper;
  bool exact = true;
  // At the sizes of the request, where they give all symbols of the formula; whole numbers in
  // decimal notation, rounded up (lower) and down (upper) as no count lies between integers.
  std::optional<std::string> lower_value;
  std::optional<std::string> upper_value;
};

// A loop (its count: iterations of all its entries together) or a statement.
struct CountedPlace {
  std::string function;
  std::string file;
  int line = 0;
  std::string name;  // a loop's counter where it has a name, a statement's text
  int id = 0;        // loops: 1, 2, .. in the order of the source's loops, as --check knows them
  Count count;
  bool affine = true;  // false: its count is a symbol
};

struct Unknown {
  std::string name;  // "u1"
  std::string function;
  std::string file;
  int line = 0;
  std::string meaning;  // "iterations at each entry, on average"
  Formula at_most;      // none where nothing is known
  int loop = 0;         // the loop whose iterations at each entry it stands for; 0: no loop's
  // What check_counts calls its numerator and denominator; empty: a run does not count it.
  std::string times, per;
};

struct OperationCounts {  // by element type: "f64", "i32", ..
  std::map<std::string, Count> flops;
  std::map<std::string, Count> loads;
  std::map<std::string, Count> stores;
};

struct CountReport {
  std::string program;
  std::vector<std::string> parameters;  // sorted; with unknowns and p
  std::vector<CountedPlace> loops;      // of the most loaded process
  std::vector<CountedPlace> statements;
  std::vector<Unknown> unknowns;
  // Iterations of innermost loops, of the most loaded process.
  Count total;
  std::string formula;  // the total as text, shared factors first: n*(3*(b + t) + p)
  Count work;           // total at p = 1
  // Whether processes share the work; if not, work = total, and there is nothing of what follows.
  bool parallel = false;
  Formula depth;                // total as p grows; none where it is infinite
  bool infinite_depth = false;  // the total grows with p without end
  Formula efficiency;           // T_1 / (p T_p)
  Formula parallelism;          // the largest p for which the total still falls
  std::optional<double> efficiency_value;
  std::optional<std::int64_t> parallelism_value;
  OperationCounts operations;
  std::vector<Condition> ledger;
};

// What to count.
struct CountRequest {
  std::string file;                      // C, C++ or Fortran source, or LLVM IR (.ll, .bc)
  std::string function;                  // empty: main, or the only function that no other calls
  std::vector<std::string> flags;        // for the compiler (-I, -D, -fopenmp)
  std::vector<std::string> assumptions;  // "u1 <= 100", "n % p = 0"
  std::map<std::string, std::int64_t> sizes;  // parameters, unknowns, p: values in the report
  // Of a program that begins its threads with pthread_create: what it calls their number and the
  // number 0, 1, .. of one (variables, parameters; `a_id` for a member `a->id`). Then what the
  // threads run is counted, the number of threads is p.
  std::string size_name;
  std::string rank_name;
};

// Reads, compiles and counts. Throws Error for what cannot be read or compiled, an unknown
// function, a loop that never ends, an assumption that names no symbol.
CountReport count(const CountRequest& request);

// One loop at given sizes: how often it ran, and what its formula says.
struct CheckedLoop {
  CountedPlace place;
  std::int64_t ran = 0;  // iterations in the busiest process or thread
  // .._measured: with what the run measures for what the sizes do not give: for unknowns u how
  // often, on average, a loop iterates or a path is taken, for parameters that the program reads or
  // computes their values. That checks how these make the count, not the unknowns.
  enum class Verdict {
    equal,
    within,
    equal_measured,
    within_measured,
    wrong,
    not_compared
  } verdict = Verdict::not_compared;
};

struct CountCheck {
  std::vector<CheckedLoop> loops;
  bool passed() const;  // nothing is wrong
};

// Runs the program with a counter in every loop and compares. A program with main gets the sizes
// as arguments, in their order; a function as the values of its parameters of these names, with
// arrays of zeros. `p`, of these sizes or else of the request's, is the number of processes that
// run. Throws Error where it cannot be run, and where a size differs from the request's.
CountCheck check_counts(const CountRequest& request,
                        const std::vector<std::pair<std::string, std::int64_t>>& sizes);

}  // namespace redblue
