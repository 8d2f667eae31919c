// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds on data movement, derived from source code.
//
// The machine of every bound here: one processor with a fast memory of S words over an unlimited
// slow memory. A word is one array element. A vertex (one instance of one statement) is computed
// when all values it reads are in fast memory; values move by loads and stores, and Q counts both.
// Inputs start in slow memory, outputs must end there. Outputs are the final values of all that is
// written and may be read after the program. Storage that dies with the program's function
// (variables and arrays of its own, parameters passed by value, memory it allocates) is read only
// by what follows in the function (`return s`), or by anything once its address is given away;
// other final values in it are dead and need not be stored. BoundRequest::scratch and outputs
// overrule that, array by array.
// Every vertex is computed at least once, also one whose value nobody needs: a bound is about the
// program as it is written. So it is in every game (redblue/pebble.hpp) and every schedule.
// The order of the vertices is free as far as data flow allows. Whether values may be computed
// again is said with each bound (LowerBound::recomputation).
// Different array names are different memory; scalars that are never written live in registers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redblue/formula.hpp"
#include "redblue/progress.hpp"

namespace redblue {

// One side condition of a bound.
struct Condition {
  enum class Status { proved, assumed };
  std::string condition;  // in plain words
  Status status = Status::proved;
};

// One condition on the sizes a formula is for: left >= right, left > right or left = right, in the
// parameters and S.
struct SizeCondition {
  Formula left;
  std::string relation;
  Formula right;
};

// A lower bound on Q, in words.
struct LowerBound {
  // "compulsory", "projection", "pairs", "hourglass", "table", "isoperimetry", "wavefront",
  // "phases", "crossing chains"
  std::string method;
  std::string statement;  // the statement it counts; empty for the whole program
  Formula leading;        // the leading term for large parameters, S fixed
  Formula expression;     // all terms
  // The sizes for which `expression` is a lower bound: all that meet these; none given: all sizes
  // of at least 0, with a fast memory in which every vertex can be computed (BoundReport::least_s).
  // For other sizes the formula may be false. `holds_for` says the same in one line.
  std::vector<SizeCondition> holds_where;
  std::string holds_for;
  std::optional<double> value;  // at the given sizes, finite-size terms included, never below 0
  double stores_value = 0;  // of the value: outputs that are stored, where the rest counts loads

  // Projections and isoperimetry only (none for others):
  Formula intensity;  // vertices computed per word moved, at best
  Formula segment;    // X_0: words available to a segment of the schedule
  // Projections only:
  std::vector<std::pair<std::string, Formula>> tiles;  // loop -> tile size at X_0
  // What a segment's set H needs from outside, projection by projection, and the inequality
  // |H| <= product of |projection|^exponent that gives `largest`, chi(X).
  struct Projection {
    std::string of;                  // "A[i][k]", "chain of S1 along k"
    std::vector<std::string> loops;  // the counters it shows
    Formula weight;                  // each of its points counts so much
    Formula exponent;
  };
  std::vector<Projection> projections;
  // Where an argument gains a constant: |H| <= factor * product, and the argument; else none.
  Formula factor;
  std::string factor_from;
  Formula largest;  // in X

  // What the expression is made of, for people: "instances counted" and their number.
  std::vector<std::pair<std::string, Formula>> counted;

  // Words that the busiest of p processors receives or sends however large its memory, where the
  // run is as `busiest_provided` says: "each processor begins with its share of the inputs and ends
  // with its share of the outputs". The formula in p, the value for `units` processors. Of
  // projections on arrays; and where `units` are several the first bound has what follows for
  // processors that share the work evenly, by any method.
  Formula busiest;
  std::vector<SizeCondition> busiest_holds_where;  // and p >= 1
  std::string busiest_holds_for;
  std::string busiest_provided;
  std::optional<double> busiest_value;

  std::vector<Condition> ledger;
  bool proved() const;  // nothing assumed

  // Whether the expression is claimed to be a bound at these sizes: of all parameters, and S.
  bool holds_at(const std::map<std::string, std::int64_t>& sizes) const;

  // The game the bound holds in: true, values may be computed again (red-blue); false, each value
  // is computed once (red-blue-white).
  bool recomputation = true;
};

struct StatementInfo {
  std::string name;
  std::string text;             // what it writes and reads
  Formula count;                // how many instances it has
  std::string count_holds_for;  // the sizes for which, as in LowerBound
  int line = 0;
};

// A method that gave up on a statement where it might have found a bound.
struct GaveUp {
  std::string method, statement, reason;
};

// What becomes of an array's final values, and why redblue takes it so.
struct FinalValues {
  std::string array;
  bool output = true;    // some must be stored
  std::string elements;  // which: "C" for all that are written, "x[N - 1]"; empty: none
  std::string why;       // "--scratch", "it outlives the function"
};

// Instances and what they read in parts, no two of which read anything in common: processors that
// compute whole parts, and have the inputs of these at the beginning, receive nothing.
struct SeparateParts {
  std::string statement, loop;  // whose counter tells the parts apart
  Formula parts;                // their number
  std::string holds_for;        // the sizes it holds for, as LowerBound::holds_for
  std::optional<double> value;
  bool alike = false;  // whether each has as many instances as any other
};

struct BoundReport {
  std::string program;
  std::vector<std::string> parameters;  // sorted; S is not among them
  std::vector<StatementInfo> statements;
  std::vector<std::string> outputs;  // arrays and scalars, or elements of them: "C", "x[N - 1]"
  std::vector<std::string> dead;     // written, but no final value of them is an output
  std::vector<FinalValues> final_values;  // of all arrays and scalars that are written
  std::vector<LowerBound> bounds;
  std::size_t best = 0;          // index into bounds: strongest with nothing assumed
  std::size_t best_assumed = 0;  // index into bounds: strongest of all
  // Words a fast memory must have for all vertices to be computed: the most a vertex reads, and one
  // for it. Where that takes no words, or the sizes are not all given, of large sizes.
  std::int64_t least_s = 1;
  std::vector<std::string> assume;  // of the request
  // How the source was read where its language leaves it open: "A and B share no memory". All
  // bounds are of the program so read.
  std::vector<std::string> taken;
  std::vector<GaveUp> gave_up;
  // Where units are several and no bound says what the busiest of them receives: why it may be
  // nothing. One for each group of statements that reads connect.
  std::vector<SeparateParts> separate_parts;
};

struct BoundRequest {
  std::string file;                // a C, C++, Fortran or Python source, or LLVM IR (.ll, .bc)
  std::string function;            // empty: the one function with #pragma scop, or the only one
  std::vector<std::string> flags;  // for the C compiler (-I, -D)
  std::map<std::string, std::int64_t> sizes;  // parameters and S; all or some or none
  // Fast memories of S words each that share the vertices in any way. Bounds count the words moved
  // by all of them together, formulas as values, so the busiest moves at least value / units
  // (segments: each memory has a last one of its own; wavefronts: what is alive may be in any
  // memory). LowerBound::busiest needs no memory size.
  std::int64_t units = 1;
  // An Einstein summation or a chain of them, instead of a file: "ij,jk->ik", or
  // "T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il". Letter x has Nx values, a parameter. Places may
  // be sums, "nc(2h+r)(2w+s),kcrs->nkhw", and items of a chain layers: softmax(X:ij, j),
  // layernorm(X:nd, d), relu(X:nd) and other functions of single elements, add(X:nd, Y:nd),
  // conv(X:nchw, F:kcrs, STRIDE), attention(Q:bhlp, K:bhmp, V:bhmp), mlp(X:ni, U:if, W:fo).
  std::string einsum = {};
  // Parameters that stay small while the others grow; they decide which bound is called strongest
  // where not all sizes are given.
  std::vector<std::string> small = {};
  // What is known of the parameters: "M >= N", "B < N/2". Formulas are for sizes that meet it.
  std::vector<std::string> assume = {};
  // Arrays and scalars whose final values nothing reads, and those whose final values are all read,
  // whatever the source says of them. Throws Error where the program writes no such array.
  std::vector<std::string> scratch = {}, outputs = {};
};

// Derives all bounds redblue knows for a program. Strength is compared at the given sizes when all
// are given, else for large parameters.
//
// Counts of points, and so formulas, differ between ranges of the parameters
// (LowerBound::holds_for). Those returned hold at the given sizes, where all parameters have one,
// unless a formula's own conditions on S fail there. Otherwise they are for large sizes, the
// parameters in an order that `small`, `assume` and the sizes given allow, if possible one in which
// all parameters count.
//
// One thread of a process at a time may be in this library (its sets and formulas share what isl
// and GiNaC keep for the process); analyses side by side take processes.
// Throws Error for unreadable source ("FILE:LINE: reason"), unknown names in `sizes`, negative
// sizes, S < least_s, or assumptions that no sizes meet. Sources: segments with In-sets [hong1981,
// elango2014] and discrete Hoelder-Brascamp-Lieb inequalities [christ2013]; the symmetric
// Loomis-Whitney inequality [aldaas2023, Lemma 3]; the hourglass pattern [eyrauddubois2024]; growth
// of sets of lattice points [ruzsa1995, petridis2012]; wavefronts and decomposition [elango2014,
// Lemma 2 and Theorem 2]. The keys are those of REFERENCES.bib.
BoundReport lower_bounds(const BoundRequest& request);

// A program read once, for bounds at many sizes: lower_bounds(request) is
// BoundedProgram(request).at(request.sizes, request.units), and throws what they do.
class BoundedProgram {
 public:
  explicit BoundedProgram(const BoundRequest& request);  // sizes and units do not matter
  BoundedProgram(BoundedProgram&&) noexcept;
  ~BoundedProgram();

  const std::vector<std::string>& parameters() const;
  const std::vector<StatementInfo>& statements() const;
  BoundReport at(const std::map<std::string, std::int64_t>& sizes, std::int64_t units = 1) const;

 private:
  struct Impl;
  friend struct StatementGraph statement_graph(const BoundedProgram& program,
                                               const BoundReport& report);
  std::unique_ptr<const Impl> impl_;
};

// Fast memories for which one bound is the strongest with nothing assumed.
struct MemoryRange {
  std::int64_t from = 1;           // words
  std::optional<std::int64_t> to;  // the last; none: all larger ones
  LowerBound bound;                // its value is that for S = from
  double value_to = 0;             // and at the other end
};

// The strongest bound piece by piece, as S grows from 8 words, or what a vertex needs, to where no
// bound depends on it, at the given sizes of all parameters. Bounds are compared at powers of four
// and, where those beside each other differ, between them, to the word.
std::vector<MemoryRange> bounds_by_memory(const BoundedProgram& program,
                                          std::map<std::string, std::int64_t> sizes,
                                          std::int64_t units = 1,
                                          const ProgressCallback& progress = {});

// What bounds say at several sizes of the fast memory: (S, words), S ascending.
struct MemoryCurve {
  std::string method;  // as LowerBound's; empty: the strongest of all methods
  bool proved = true;  // of bounds with nothing assumed; else of all, where some is stronger
  std::vector<std::pair<std::int64_t, double>> points;
};

// A curve for the strongest bound first, then one per method, at the given sizes of all parameters.
// Throws what BoundedProgram::at does.
std::vector<MemoryCurve> curves_by_memory(const BoundedProgram& program,
                                          std::map<std::string, std::int64_t> sizes,
                                          const std::vector<std::int64_t>& memories,
                                          std::int64_t units = 1,
                                          const ProgressCallback& progress = {});

// The strongest bound of a statement, or where that is empty of the program, with nothing assumed
// or of all. Throws Error where there is none.
const LowerBound& strongest_of(const BoundReport& report, const std::string& statement,
                               bool assumed);

// A bound's derivation as a person would write it: the argument, what a segment needs, the
// inequality, the best X, the bound, the conditions. Plain text; Markdown with formulas in LaTeX;
// or HTML with formulas in MathML, from <h3> on, to stand within a page, all that comes from the
// source escaped, and without the conditions: a page has the ledger to set them its own way.
enum class Markup { none, markdown, html };
std::string explanation(const BoundReport& report, const LowerBound& bound, Markup markup);
std::string explanation(const BoundReport& report, const LowerBound& bound, bool markdown);

// Whether sizes of all parameters, and S, meet all conditions.
bool all_hold(const std::vector<SizeCondition>& conditions,
              const std::map<std::string, std::int64_t>& sizes);

}  // namespace redblue
