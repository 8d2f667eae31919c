// SPDX-License-Identifier: BSD-3-Clause
// How P ranks share an Einstein summation of dense tensors, what that moves, and what it must move
// at least. Arithmetic only: no MPI, no data.
//
// "ijk,jr,kr->ir": the iteration space has one dimension per letter. Every rank computes one box of
// it, and needs of each operand and of the result what the box projects to. A word is one element.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "redblue/cost.hpp"
#include "redblue/machine.hpp"
#include "redblue/syrk_model.hpp"
#include "redblue/units.hpp"

namespace redblue {

// Letters that stand in the same operands are one index of the iteration space: "ij" for i and j,
// of which the last counts fastest, as in an array in C.
struct EinsumIndex {
  std::string letters;
  std::vector<std::int64_t> extents;  // of the letters
  std::int64_t extent = 1;            // their product
};

// An operand or the result. `indices`, ascending, are those of EinsumShape; letters of extent 1
// belong to none.
struct EinsumTensor {
  std::string letters;  // as written
  std::vector<std::int64_t> extents;
  std::vector<int> indices;
  bool has(int index) const;
};

// One of several summations: its tensors as its letters name them, the operands, then the result;
// which they are of the shape's operands, or operands() + the number of an earlier statement.
struct EinsumStatement {
  std::vector<EinsumTensor> tensors;
  std::vector<std::size_t> operands;
};

struct EinsumShape {
  std::string text;  // "ijk,jr,kr->ir", without spaces, the result written out
  std::vector<EinsumIndex> indices;
  std::vector<EinsumTensor> tensors;  // the operands, then the result
  // Several summations, or one that reads an operand twice; empty: one of all operands.
  std::vector<EinsumStatement> statements;

  std::size_t operands() const { return tensors.size() - 1; }
  const EinsumTensor& result() const { return tensors.back(); }
  std::int64_t elements(const EinsumTensor& tensor) const;
  double products() const;  // points of the iteration space
};

// Reads one summation of at most 12 letters in a tensor. Letter x has the extent sizes["Nx"].
// Without "->" the result has the letters that stand once, in alphabetical order, as NumPy has it.
//
// Several are separated by ";", each after those whose results it reads, as redblue bound --einsum
// has them. Names begin with a capital letter. "T = .." names a result, "A:ij" an operand where it
// is first read; later a name alone is the tensor with the letters it got then, "T:kl" gives it
// others, place by place:
//   "T = ijk,jr->ikr; T,ks->irs"         a chain, in the order that is written
//   "A:ik,A:jk->ij"                      A times its transpose
//   "T = A:ij,B:jk->ik; T:ik,T:kl->il"   T times T
// All results but the last have names and are read later. A letter has one extent everywhere.
//
// Throws Error that names what is wrong: a letter without an extent, or that only the result has,
// or twice in one tensor; a size that belongs to no letter, is negative or too large to count with;
// a name that is given twice or never read, or letters that do not fit it.
EinsumShape einsum_shape(const std::string& text, const std::map<std::string, std::int64_t>& sizes);

// The same with these letters as indices of their own.
EinsumShape with_separate_letters(EinsumShape shape, const std::string& letters);

// What a value of the tensor's index number `position` adds to the place of an element in an array
// in C with the tensor's letters as they are written.
std::int64_t element_offset(const EinsumShape& shape, const EinsumTensor& tensor,
                            std::size_t position, std::int64_t value);

// A rank's part of the iteration space: a range of each index. A rank without work needs nothing,
// not even a tensor without letters.
struct EinsumBox {
  bool works = false;
  std::vector<Range> ranges;
  double products() const;
};

struct EinsumDecomposition {
  enum class Kind { grid, bisection };
  Kind kind = Kind::grid;
  std::vector<int> grid;  // grid: parts along each index; the first changes fastest with rank
  std::vector<EinsumBox> boxes;  // one per rank, disjoint, with `rest` covering the iteration space
  int round_index = -1;          // the index along which each rank works in rounds; -1: none
  std::int64_t rounds = 1;
  // Where an index has some values for each rank alone and some that ranks share: further boxes of
  // the ranks, computed in further rounds of round_index, one list of boxes per round. What they
  // need of tensors without that index, the first box needs, too.
  std::vector<std::vector<EinsumBox>> rest;

  // The box of a rank in a round.
  EinsumBox box(std::size_t rank, std::int64_t round) const;
  double busiest_products() const;  // of all boxes of a rank

  // "grid i 2 x j 1 x k 2 x r 1", "bisection of 7 ranks", "3 of b each, the rest shared".
  std::string name(const EinsumShape& shape) const;
};

// Where a caller stores a tensor: blocks of `block` values of each letter are dealt out in turn to
// the ranks of a grid, `grid` along each letter, the last letter's changing fastest with the rank;
// ranks beyond the grid have nothing. A block of 0: as large as needed for one block per rank. A
// rank's array has its values of every letter in order, the last letter fastest, as in C.
struct EinsumLayout {
  std::vector<int> grid;
  std::vector<std::int64_t> block = {};  // empty: all 0

  bool operator==(const EinsumLayout&) const = default;
};

// Reads "2x2x1" or "2x2x1/16x16x8", grid and block. Throws Error.
EinsumLayout einsum_layout(const std::string& text);

struct EinsumPlanRequest {
  EinsumShape shape;
  int ranks = 1;
  std::optional<Words> memory;  // per rank, everything the run holds; none: unlimited
  Objective objective = Objective::words;
  Machine machine;
  // Of every tensor, operands first; none (or a shorter list): where the plan puts it.
  std::vector<std::optional<EinsumLayout>> layouts = {};
};

struct EinsumPlanReport {
  EinsumDecomposition decomposition;
  Cost cost;
  double lower_bound =
      0;             // einsum_lower_bound, no rank forming more products than the busiest here
  double ratio = 0;  // cost.words / lower_bound; 1 when both are 0
  std::vector<Alternative> alternatives;
};

// Chooses a decomposition. Grids and, up to 256 ranks, ratio bisections compete; a matrix
// multiplication is cut at least as well as choose_gemm does. Throws Error for several summations
// and for layouts (plan_einsum_chain takes them), ranks < 1 or more than a million, or memory below
// every schedule's need (the message names the least amount that would do).
EinsumDecomposition choose_einsum(const EinsumPlanRequest& request);

// The same with its cost, its bound and what others would have cost.
EinsumPlanReport plan_einsum(const EinsumPlanRequest& request);

// How a summation of several operands is done: at once, or two operands at a time in the order with
// the fewest products (exact for up to 10 operands), or in the one that ranks are expected to
// receive least in. automatic: of these three the one that moves least, where the busiest rank
// multiplies at most a tenth more than it has to.
enum class EinsumOrder { automatic, once, operations, words };

struct EinsumStep {
  EinsumShape shape;
  // Of each operand: its number in the whole summation, or operands() + the number of the step that
  // it is the result of. Results stay where they are computed; ranks fetch what they need of them.
  // So they do of operands that an earlier step has read, and of those in a caller's layout.
  std::vector<std::size_t> operands;
  EinsumPlanReport report;  // as a summation of its own
  Cost cost;                // with its operands where they are
};

struct EinsumChainReport {
  EinsumShape shape;  // the request's; letters of tensors in callers' layouts are separate
  std::vector<EinsumStep> steps;
  Cost cost;  // of all steps together
  double lower_bound =
      0;             // docs/methods/einsum.md, Lemma einsum.5: for all schedules of these steps
  double ratio = 0;  // cost.words / lower_bound; 1 when both are 0
  // One step that multiplies a matrix by its own transpose ("A:ik,A:jk->ij"), where triangle blocks
  // move less: only one triangle of the result is added up, and whoever owns an element of it owns
  // the one across the diagonal. The step's own decomposition is not used, cost and bound are
  // SYRK's.
  std::optional<SyrkPlanReport> symmetric;
};

// Several summations as their text has them, each at once or two operands at a time. How each step
// is shared is chosen with the others in view: what it receives itself, and what it fetches from
// where the steps before it leave their results. On up to 1,024 ranks; on more, a single summation
// is one step, and several throw Error, as do layouts that do not fit their tensor, and whatever
// choose_einsum refuses.
EinsumChainReport plan_einsum_chain(const EinsumPlanRequest& request,
                                    EinsumOrder order = EinsumOrder::automatic);

// Exact cost: words received = footprint - owned, every element owned by one of the ranks that need
// it. O(ranks * tensors) for grids, O(cells * ranks) else.
Cost cost_of(const EinsumShape& shape, const EinsumDecomposition& decomposition,
             const Machine& machine);

// Words that the busiest of `ranks` ranks must receive, where each product of all operands is
// formed on one rank, which forms at most `products` of them (none: an even share) and holds at
// most `memory` words: docs/methods/einsum.md. Schedules that send products of some of the operands
// (chains of contractions) are others: bound each contraction.
double einsum_lower_bound(const EinsumShape& shape, int ranks, std::optional<double> products = {},
                          std::optional<Words> memory = {});

}  // namespace redblue
