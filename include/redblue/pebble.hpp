// SPDX-License-Identifier: BSD-3-Clause
// Pebble games on computational DAGs: rules, schedules, exact optima, and lower bounds of one
// graph.
//
// The games (S = words of fast memory, a word holds one value, Q = loads + stores):
//   red-blue        values may be computed again [hong1981], [elango2014, Definition 2]
//   red-blue-white  each value is computed once [elango2014, Definition 4]
//   parallel        p fast memories of S words, recomputation allowed [kwasniewski2021,
//   section 4.5] hierarchical    P-RBW: L levels, N_l units of S_l words each [elango2014,
//   Definition 6]
//   partial         operands may enter a value one after the other, each once [papp2025]: while
//                   some are missing it takes a word, or lies in slow memory; it is read when it
//                   has all
// In every game every value but the inputs is computed at least once, also one that is no output
// and that nobody reads (graphs of Hong and Kung have none): a program is played as it is written.
// Deleting a pebble is free. To compute a vertex, its operands and itself stand in fast memory
// together, so S must exceed the most operands a vertex has; in the partial game an operand and the
// value it enters do, so S >= 2 is enough. Lower bounds of the other games do not hold in it, but
// for compulsory traffic.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redblue/cdag.hpp"
#include "redblue/progress.hpp"

namespace redblue::cdag {

// ---------------------------------------------------------------- games

enum class Rule : std::uint8_t {
  load,       // R1: slow memory -> a unit of the top level
  store,      // R2: a unit of the top level -> slow memory
  compute,    // R3, R6: in a unit of level 1
  erase,      // R4, R7: free a word of a unit
  get,        // R3 of P-RBW: from another unit of the top level
  up,         // R4 of P-RBW: towards the processor, from the parent unit
  down,       // R5 of P-RBW: away from the processor, from a child unit
  accumulate  // partial: an operand enters the value of a vertex
};

struct Move {
  Rule rule = Rule::load;
  std::uint8_t level = 1;  // 1 is next to the processors
  std::uint16_t unit = 0;
  Vertex vertex = 0;
  Vertex operand = -1;  // of accumulate
  bool operator==(const Move&) const = default;
};

struct Level {
  std::int64_t words = 0;  // of each unit
  int units = 1;
};

struct Game {
  enum class Kind { red_blue, red_blue_white, parallel, hierarchical, partial };
  Kind kind = Kind::red_blue;
  std::vector<Level> levels;  // level 1 first; one level except in the hierarchical game
};
Game red_blue(std::int64_t s);
Game red_blue_white(std::int64_t s);
Game parallel_red_blue(std::int64_t s, int processors);
Game partial_red_blue(std::int64_t s);
// Unit u of level l is a child of unit u N_{l+1} / N_l; units of a level must be a multiple of
// those above. Throws Error otherwise.
Game hierarchical(const std::vector<Level>& levels);

// What crossed the boundary above a unit (towards slow memory) and what it computed, in words.
struct UnitTraffic {
  std::int64_t in = 0;    // loads and gets at the top level, moves up below it
  std::int64_t out = 0;   // stores at the top level; below it, moves down into the parent
  std::int64_t gets = 0;  // of `in`: from another unit of the top level
  std::int64_t computed = 0;
  std::int64_t most_words = 0;
};

struct Tally {
  std::int64_t loads = 0, stores = 0, gets = 0, computed = 0;
  std::vector<std::vector<UnitTraffic>> units;  // by level, by unit
  std::int64_t moved() const { return loads + stores + gets; }
};

// Plays the moves by the rules. Throws Error naming the first illegal move by its number, counted
// from 1, or what is missing at the end. Time O(moves + edges).
Tally play(const Graph& graph, const Game& game, std::span<const Move> moves);

struct Pebbling {
  std::string graph;  // its description; empty: unknown
  Game game;
  std::vector<Move> moves;
};

// One move a line. Throws Error "FILE:LINE: reason", naming unknown vertices and rules.
void write_pebbling(std::ostream& out, const Graph& graph, const Pebbling& pebbling);
std::string graph_of_pebbling(const std::string& path);  // the description in its first lines
Pebbling read_pebbling(const std::string& path, const Graph& graph);

// ---------------------------------------------------------------- schedules and their cost

// The order in which a schedule computes all vertices but the inputs, each once.
using Order = std::vector<Vertex>;

Order natural_order(const Graph& graph);  // as numbered
// Always the ready vertex with the fewest operands missing among the `window` values used last.
// O(edges log size).
Order greedy_order(const Graph& graph, std::int64_t window);
// Blocks of the coordinates, block by block: coordinate `dimension` of a vertex, plus `skew` times
// its first coordinate, belongs to block floor(/size); blocks run in lexicographic order of the
// list, vertices of one block as numbered.
struct Tile {
  std::size_t dimension = 0;
  std::int64_t size = 1;
  std::int64_t skew = 0;
};
// Throws Error when a block would need a later one, or the graph lacks the coordinates.
Order tiled_order(const Graph& graph, const std::vector<Tile>& tiling);

struct Replayed {
  std::int64_t loads = 0, stores = 0;
  std::vector<Move> moves;  // where asked for
  std::int64_t moved() const { return loads + stores; }
};

enum class Replacement { belady, lru };

// Runs an order with a fast memory of s words; the value read again latest (Belady) or used
// longest ago (LRU) leaves first. Legal in the red-blue-white game. Throws Error when s is too
// small for some vertex (named). O(edges log s).
Replayed replay(const Graph& graph, const Order& order, std::int64_t s,
                Replacement replacement = Replacement::belady, bool record = false);

// How long a search for a schedule goes on. It ends early where nothing is left to gain: every
// input is loaded and every computed output stored, each once.
struct ScheduleSearch {
  double seconds = 2;
  // Replayed, in all orders tried; with no limit in seconds the result is the same on every
  // machine.
  std::int64_t vertices = std::numeric_limits<std::int64_t>::max();
  ProgressCallback progress = {};
};

// The cheapest schedule found: natural, greedy and tiled orders, then moves of the better ones
// while the search goes on. Never proved optimal, unless it moves what must be moved only.
struct Schedule {
  Order order;
  Replayed cost;
  std::string how;
};
Schedule good_schedule(const Graph& graph, std::int64_t s, const ScheduleSearch& search);
Schedule good_schedule(const Graph& graph, std::int64_t s, double seconds = 2);

// Throws Error where some vertex (named) and its operands need more than s words.
void check_room(const Graph& graph, std::int64_t s);

// The outer-product schedule of a matrix product [kwasniewski2021, section 3.5]: a x b results
// stay in fast memory, and for each k a elements of A and, one at a time, b of B pass by. a and b
// move the fewest words with ab + a + 2 <= s over whole numbers: one word more than in equation
// 3.26, as the game has no room for a new partial result in the place of the old one (k = 1 has no
// old one); rounding the real optimum down, as 3.27 and 3.28 do, can miss the best pair. Moves
// m n k (1/a + 1/b) + m n words where a divides m and b divides n. Throws Error for s < 4 (3).
struct OuterProduct {
  std::int64_t a = 1, b = 1;
};
OuterProduct outer_product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t s);
Pebbling outer_product_pebbling(std::int32_t m, std::int32_t n, std::int32_t k, std::int64_t s);
// The words it moves, edges of blocks included.
std::int64_t outer_product_words(std::int64_t m, std::int64_t n, std::int64_t k,
                                 const OuterProduct& blocks);

// A legal hierarchical pebbling of an order: owner[v] is the processor (unit of level 1) that
// computes v. Every unit replaces the value used longest ago; a last copy still needed moves down
// one level when it leaves. Throws Error when level 1 is too small for some vertex.
Pebbling hierarchical_pebbling(const Graph& graph, const Order& order,
                               const std::vector<int>& owner, const Game& game);

// ---------------------------------------------------------------- exact optima

struct ExactOptions {
  bool recomputation = false;  // red-blue instead of red-blue-white
  double seconds = 60;
  // Expanded at most; with no limit in seconds the result is the same on every machine.
  std::int64_t states = std::numeric_limits<std::int64_t>::max();
  std::int64_t bytes = std::int64_t{4} << 30;
  ProgressCallback progress = {};
};

// What is known when the search ends: lower <= optimum <= upper; equal when proved.
struct Exact {
  std::int64_t lower = 0, upper = 0;
  bool proved() const { return lower == upper; }
  Pebbling pebbling;        // costs `upper`
  std::int64_t states = 0;  // searched
  double seconds = 0;
};

// A* backwards from the end of the game over what must be in fast and slow memory; graphs of at
// most 64 vertices. Throws Error for larger ones and for s <= the most operands of a vertex.
Exact optimal_pebbling(const Graph& graph, std::int64_t s, const ExactOptions& options = {});

// The same in the partial game, forwards from its start; graphs of at most 64 vertices and 64 edges
// (a vertex that is computed from nothing counts as one more). ExactOptions::recomputation does not
// matter. Throws Error for larger ones and for s < 2.
Exact optimal_partial_pebbling(const Graph& graph, std::int64_t s,
                               const ExactOptions& options = {});

// ---------------------------------------------------------------- subsets and partitions

using Subset = std::vector<Vertex>;  // sorted, each once

Subset in_set(const Graph& graph, const Subset& h);       // outside h, read by h
Subset out_set(const Graph& graph, const Subset& h);      // of h, outputs or read outside
Subset minimum_set(const Graph& graph, const Subset& h);  // of h, without readers in h
// A smallest set that every path from an input to h meets (max-flow).
Subset dominator_set(const Graph& graph, const Subset& h);

// Disjoint sets of computed vertices in the order of a schedule.
struct Partition {
  std::vector<Subset> parts;
};

// What a partition is for a given X: why it is not valid, or empty.
//   in_out          |In| and |Out| at most X [elango2014, Definition 5]
//   dominator       |Dom| and |Min| at most X [kwasniewski2021, section 3.4]
enum class PartitionKind { in_out, dominator };
std::string partition_fault(const Graph& graph, const Partition& partition, std::int64_t x,
                            PartitionKind kind);

// The segments of a pebbling with `transfers` loads and stores each: what each computed first,
// the operands it found in fast memory (reuse), loaded, stored and kept for the next.
struct Segment {
  Subset computed;
  std::int64_t reused = 0, loaded = 0, stored = 0, kept = 0;
};
struct SegmentedPebbling {
  std::vector<Segment> segments;
  std::int64_t most_reused = 0;  // R(S), the larger of reuse and cache sets
  std::int64_t least_moved = 0;  // T(S), over all segments but the last
  std::int64_t moved = 0;        // q
  std::int64_t x = 0;            // transfers + R - T
  Partition partition() const;
};
// For the games with one fast memory. [kwasniewski2021, Lemma 3.2]: moved >= (x - R + T) (h - 1).
SegmentedPebbling segments_of(const Graph& graph, const Pebbling& pebbling, std::int64_t transfers);

// ---------------------------------------------------------------- wavefronts

// The fewest values alive when v has just been computed, in any order that computes each value
// once [elango2014, section 3.3]: a minimum vertex cut between v with its ancestors and its
// descendants. `cut`, where asked for, is one smallest wavefront.
std::int64_t minimum_wavefront(const Graph& graph, Vertex v, Subset* cut = nullptr);

// w_max over `samples` vertices, one out of each stretch of the numbering: the one with the most
// ancestors and descendants (graphs of more than 4,000 vertices: the most readers). 0: as many as
// take some seconds, at most 256; size() and more: all.
struct Wavefront {
  Vertex vertex = -1;
  std::int64_t size = 0;
};
Wavefront largest_wavefront(const Graph& graph, int samples = 0);

// Q >= sum over the pieces of 2 (values alive at a vertex - S) + inputs and outputs no piece
// counts. A value alive and not in fast memory when the vertex is computed was moved before
// (stored, or loaded where it is an input) and is loaded again after. No two pieces count one
// value, so they add up; later readers may be shared, which is what the non-disjoint decomposition
// [elango2014, Theorem 4] is for, with S words instead of its S + 1.
struct WavefrontPiece {
  Vertex vertex = -1;
  std::int64_t size = 0;  // values alive at least, among those this piece counts
  Subset counted;
};
struct WavefrontBound {
  std::vector<WavefrontPiece> pieces;
  std::int64_t moved = 0;  // the bound at this s; red-blue-white game
};
// Candidates are the vertices of `at`, or where that is empty `samples` as above; the largest
// wavefronts count first.
WavefrontBound wavefront_bound(const Graph& graph, std::int64_t s, const Subset& at = {},
                               int samples = 0);

// The strongest of: inputs loaded + outputs stored; the wavefront sum (red-blue-white game only);
// segments of X - S loads and stores against the largest H with |In(H)| <= X, for graphs of at most
// 20 computed vertices.
struct GraphBound {
  std::int64_t moved = 0;
  std::string method;
  WavefrontBound wavefronts;  // empty with recomputation
};
GraphBound graph_bound(const Graph& graph, std::int64_t s, bool recomputation);

// In the hierarchical game, for each level, first to last: what all its units together receive and
// give away upwards, at least. Whatever lies below that boundary is one fast memory of as many
// words as all units up to the level have [elango2014, Theorem 5]. The busiest unit of a level
// moves that over their number, at least. Throws Error where a level has too little room for a
// vertex.
std::vector<std::int64_t> hierarchical_bounds(const Graph& graph, const Game& game);

// In the partial game: inputs that are read are loaded, computed outputs are stored.
std::int64_t partial_bound(const Graph& graph);

// Theorem 2: the bounds of disjoint pieces add up; part[v] is the piece of v. Each piece by
// graph_bound, or tagged (Theorem 3) where that gives more. Red-blue-white game.
std::int64_t decomposed_bound(const Graph& graph, std::int64_t s, const std::vector<int>& part);

// The best among 1, 2, 4, ... 64 stretches of the numbering.
struct Decomposition {
  int pieces = 1;
  std::int64_t moved = 0;
};
Decomposition best_decomposition(const Graph& graph, std::int64_t s);

// ---------------------------------------------------------------- dependency intervals

// The union of all chains from a to b, both included [solomonik2016, section 4.1].
Subset interval(const Graph& graph, Vertex a, Vertex b);

// The smallest vertex set whose removal splits the n vertices into parts without an edge between
// them, the smaller of at least floor(n/q) - |Q| and at most floor(n/x) vertices; lower = upper
// where proved.
struct Separator {
  std::int64_t lower = 0, upper = 0;
  Subset vertices;  // `upper` of them
};
Separator balanced_separator(const Graph& graph, const Subset& vertices, double q = 4, double x = 2,
                             double seconds = 2);

// Growth along a chain: sizes of intervals and separators over distances b, the exponents fitted
// to them (least squares in the logarithms, distances shifted by what fits best), and what they
// imply for a chain of n vertices (Theorem 4.1): F = b^(sigma-1) n, W = b^(epsilon-1) n, S = n / b.
// `separators_exact`: all are proved; else epsilon is fitted to their upper ends.
struct IntervalGrowth {
  struct Point {
    std::int64_t distance = 0, interval = 0, separator_lower = 0, separator_upper = 0;
  };
  std::vector<Point> points;
  double sigma = 0, epsilon = 0;  // interval ~ b^sigma, separator ~ b^epsilon
  bool separators_exact = false;
};
IntervalGrowth interval_growth(const Graph& graph, const std::vector<Vertex>& chain);
// A path from a source to a sink with the largest interval, through its middle: the interval is
// halved again and again at the vertex whose smaller side is largest. At most 6,000 vertices, else
// throws Error. O(size^2 / 64) words of memory.
std::vector<Vertex> main_chain(const Graph& graph);

}  // namespace redblue::cdag
