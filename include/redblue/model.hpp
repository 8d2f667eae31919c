// How P ranks share a matrix multiplication, what that moves, and what it must move at least.
// Arithmetic only: no MPI, no data.
//
// C (m x n) = A (m x k) * B (k x n): the iteration space is the box [0,m) x [0,n) x [0,k). Every
// rank computes one cuboid of it. A word is one matrix element.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "redblue/units.hpp"

namespace redblue {

// ---------------------------------------------------------------- machines

// One level of the memory hierarchy of a whole machine. A word has 8 bytes.
struct MemoryLevel {
  std::string name;
  std::int64_t units = 1;  // N_l, over the whole machine
  std::int64_t words = 1;  // S_l, of each unit
  // Words per second between a unit and all below it, over the peak FLOPs per second of the
  // processors below it ([elango2014, equation 7]: B_l / (|P_l| F)); 0: unknown.
  double words_per_flop = 0;
};

// The cost model: a message of w words takes latency + w * word_bytes / bytes_per_second.
struct Machine {
  std::string name = "default";
  double flops_per_second = 4e10;  // one rank, double precision, alone on its processor
  double latency_seconds = 2e-6;   // per message
  double bytes_per_second = 5e9;   // per rank

  // Messages of more than eager_bytes wait for their receiver; their latency is another one. 0: all
  // messages are alike.
  double large_latency_seconds = 0;
  std::int64_t eager_bytes = 0;
  // Of a rank's processor, for its end of a message: packing, copying, the protocol. Overlaps with
  // the network, but not with what else the processor has to do. 0: messages need no processor.
  double copy_bytes_per_second = 0;
  double memory_bytes_per_second = 0;  // of one rank, between cache and main memory; 0: unlimited
  // Every `ranks_together` ranks in turn share so many processors; 0: each rank has its own.
  double processors = 0;
  int ranks_together = 0;
  double turn_seconds = 0;  // until a rank that waited gets one while others compute on all of them

  std::optional<Words> memory;  // words of doubles a rank may hold; none: unlimited

  std::vector<MemoryLevel> levels;  // next to the processors first, main memory last; may be empty
  double network_words_per_flop = 0;  // of a unit of the last level to the others; 0: unknown
};

// Reads a machine file (TOML, as written by to_toml). Throws Error naming the file and what is
// missing, unknown or out of range.
Machine read_machine(const std::string& path);

// The machine file of `machine`.
std::string to_toml(const Machine& machine);

// ---------------------------------------------------------------- balance

// What is known of a program's data movement, as functions of the memory below a level.
struct ProgramTraffic {
  double flops = 1;
  // At least this is moved, loads and stores of all together, where `units` memories of `words`
  // each share the work.
  std::function<double(std::int64_t words, std::int64_t units)> at_least;
  // At least this is received by `units` memories of `words` each from one another, when all data
  // start in them.
  std::function<double(std::int64_t words, std::int64_t units)> network_at_least;
  // A schedule with a fast memory of that many words moves this; empty: unknown.
  std::function<std::optional<double>(std::int64_t words)> at_most;
  // A distribution over that many units moves this into the busiest; empty: unknown.
  std::function<std::optional<double>(std::int64_t units)> network_at_most;
};

// Words per FLOP at one level against what the machine carries.
struct LevelBalance {
  std::string level;
  double machine = 0;             // words per FLOP it carries
  double at_least = 0;            // any execution needs
  std::optional<double> at_most;  // some execution needs, if known
  enum class Verdict { bound, free, undecided } verdict = Verdict::undecided;
};

// Where a program must be bandwidth-bound (at_least > machine) and where it need not be (at_most <
// machine): [elango2014, conditions (7) and (8)], with Theorems 5 and 6 for the vertical bounds
// and Theorem 7 for the horizontal one. at_most takes the work to be spread evenly over the units.
// Levels whose balance is unknown are left out. Throws Error for a machine without levels.
std::vector<LevelBalance> balance(const Machine& machine, const ProgramTraffic& traffic);

// ---------------------------------------------------------------- decompositions

struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

enum class Operand { a, b, c };

// The multiplications C(i,j) += A(i,k) B(k,j) of one rank; empty when the rank is idle.
struct Cuboid {
  Range i, j, k;
  bool empty() const { return i.size() <= 0 || j.size() <= 0 || k.size() <= 0; }
  double volume() const {
    return static_cast<double>(i.size()) * static_cast<double>(j.size()) *
           static_cast<double>(k.size());
  }
  bool operator==(const Cuboid&) const = default;
};

// One cut of a bisection: `first` ranks take the lower part of axis 0 (i), 1 (j) or 2 (k), in
// proportion to their number. axis -1: the box is too small to cut, one rank works.
struct Cut {
  int axis = -1;
  int first = 0;
};

// A way to cut the iteration space among `ranks` ranks.
struct Decomposition {
  enum class Kind { grid, bisection };
  Kind kind = Kind::grid;
  GemmShape shape;
  int ranks = 1;
  std::array<int, 3> grid = {1, 1,
                             1};  // grid: parts along i, j, k; rank = (ki * gj + ji) * gi + ii
  std::vector<Cut> cuts;          // bisection: in preorder, a box of one rank has no entry
  std::int64_t rounds = 1;        // each rank works through its k range in this many pieces
  std::int64_t panels = 1;        // of columns, in which C is computed and added up one by one;
                                  // more than 1 only where k alone is cut

  // "grid 2 x 2 x 1" or "bisection of 7 ranks".
  std::string name() const;

  // One per rank, disjoint, covering the iteration space. O(ranks).
  std::vector<Cuboid> cuboids() const;
};

// ---------------------------------------------------------------- plans

// What a decomposition costs, worst rank each (received words =
// footprint - owned, every element owned by one of the ranks that need it, shares even).
struct Cost {
  Words words;         // received
  Messages messages;   // received
  Words memory;        // owned parts, the C face and the A and B slabs of a round, all at once
  Words resident;      // the part of memory that more rounds cannot shrink: all but the slabs
  double work = 0;     // multiplications
  double seconds = 0;  // messages, words and flops on the machine, one after the other
};

struct Alternative {
  std::string name;    // "best grid", "best bisection", "2D grid", "2.5D grid", "recursive halving"
  std::string shape;   // Decomposition::name()
  int ranks_used = 0;  // the others idle
  Cost cost;
  double ratio = 0;  // words / lower bound (which holds for even work: idling may go below 1)
};

// By what the decomposition is chosen, among those whose busiest rank computes at most 1.03 times
// an even share, or the least that whole multiplications allow (idling ranks could buy fewer words:
// one rank alone moves none).
enum class Objective { words, seconds };

struct GemmPlanRequest {
  GemmShape shape;
  int ranks = 1;
  std::optional<Words> memory;  // per rank, everything the run holds; none: unlimited
  Objective objective = Objective::words;
  Machine machine;
};

struct GemmPlanReport {
  Decomposition decomposition;
  Cost cost;
  double lower_bound = 0;  // words received by some rank, at least (for even work over its ranks)
  double ratio = 0;        // cost.words / lower_bound; 1 when both are 0
  std::vector<Alternative> alternatives;
};

// Chooses a decomposition. Grids and, up to 1024 ranks, ratio bisections (searched exactly for
// small counts) compete. Under 50 ms for 100,000 ranks.
// Throws Error for a negative size, a matrix of more than 10^18 elements, ranks < 1 or more than
// ten million, or memory below every schedule's need (the message names the least amount that would
// do).
Decomposition choose_gemm(const GemmPlanRequest& request);

// The same with predicted costs and the classical alternatives beside it.
GemmPlanReport plan_gemm(const GemmPlanRequest& request);

// Exact cost of a decomposition. O(ranks * cells).
Cost cost_of(const Decomposition& decomposition, const Machine& machine);

// Words some rank must receive when the work is spread evenly over the ranks: the larger of
// the memory-independent bound ([aldaas2022]: min x + y + z with xyz >= (mnk/P)^2 and each
// at least its matrix's P-th part, less the data a rank may own) and, with `memory`, the segment
// bound max over X of (X - S) (mnk/P / (X/3)^(3/2) - 1), S = memory [kwasniewski2021, Lemma 4.9].
double gemm_lower_bound(const GemmShape& shape, int ranks, std::optional<Words> memory = {});

}  // namespace redblue
