// SPDX-License-Identifier: BSD-3-Clause
// Schedules: legal tiled orders of a program, what they move, and C that runs in them.
//
// The machine is that of redblue/analysis.hpp: a fast memory of S words. Every number here is an
// upper bound on Q, to be held against a lower bound at the same sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redblue/analysis.hpp"
#include "redblue/pebble.hpp"
#include "redblue/progress.hpp"

namespace redblue {

// What moves between a slow memory and a fast one. (What ranks send one another is Traffic, in
// redblue/traffic.hpp.)
struct MemoryTraffic {
  std::int64_t loads = 0, stores = 0;  // words
  std::int64_t moved() const { return loads + stores; }
  bool operator==(const MemoryTraffic&) const = default;
};

// What an order moves through a cache (LRU) of S words at sizes too large to walk through.
struct PredictedTraffic {
  enum class From {
    count,          // of all accesses
    smaller_sizes,  // walks there, extrapolated
    parts,          // walks through parts of the order
  };
  MemoryTraffic traffic;
  // How uncertain it is, as a part of it: how far walks at smaller sizes disagree, or twice the
  // standard error of the mean over parts. No proof.
  double residual = 0;
  From from = From::count;
};

// One order of computation on a fast memory of S words, in three ways.
struct Replays {
  // The value that is read again latest leaves: explicit loads and stores, the fewest known.
  // Nothing beyond 50,000,000 instances, where there is no graph.
  std::optional<MemoryTraffic> belady;
  // The value used longest ago leaves: a fully associative cache. Nothing for schedules of too many
  // accesses to walk through.
  std::optional<MemoryTraffic> lru;
  // Tile by tile: what a tile reads and the tile before it left not is loaded before it, what is
  // needed later and not by the next tile is stored after it. Nothing where there are no tiles.
  std::optional<MemoryTraffic> tiles;
  std::int64_t tile_words = 0;  // fast memory the tile-by-tile way needs; it fits where <= S
};

// Loops that may run in any order, tiled: from the outside in, loop and tile size.
struct TiledBand {
  struct Loop {
    std::string steps;      // "i", or by statement "S0: i; S1: k"
    std::int64_t size = 1;  // iterations of a tile
  };
  std::vector<std::string> statements;
  std::vector<Loop> loops;
};

// Pairs of rows in triangle blocks: the rows are cut into `pieces`, and there are as many blocks;
// each works on all pairs of the `touched` pieces it reads. Blocks read 1 / sqrt(2) of what squares
// do, in the limit, where statements read the same of row i as of row j (symmetric updates).
struct TriangleTiling {
  std::vector<std::string> pairs;  // by statement: "S0: i, j"
  std::int64_t pieces = 0;
  std::int64_t touched = 0;
};

// Tiles of an array that steps of the outermost loop change: a tile runs many steps at once, when
// others need its values. Copies keep what steps read of the array.
struct LateTiling {
  std::string array, step;          // "D", "k"
  std::int64_t side = 0;            // elements of a tile in every dimension, and steps in a block
  std::vector<std::string> copies;  // "D_ik_before = D[i][k] as step k finds it"
};

struct TiledSchedule {
  std::string program;
  std::int64_t vertices = 0;
  std::vector<TiledBand> bands;             // empty: no tiling was found to help, or
  std::optional<TriangleTiling> triangles;  // triangle blocks help more; or
  std::optional<LateTiling> late;           // tiles that wait do
  std::vector<std::string>
      storage;  // arrays whose values need storage of their own: "sum -> sum_1"
  // Updates that run in another order, which changes no bit (of two equal zeros, or of several
  // NaNs, C leaves open which fmax returns): "fmax of best". The proved bounds are of the source's.
  std::vector<std::string> reordered;
  Replays own, tiled;  // the program as written; as scheduled
  // Of the schedule through a cache. Where walks at smaller sizes disagree by more than 0.1 %, or
  // sizes are too small to grow by tiles, parts of the order are walked through, or problems
  // that are alike; nothing where these are uncertain by more than 5 %, and for triangle blocks.
  std::optional<PredictedTraffic> predicted;
  // The least known: of Belady's replays, or else of those through a cache, or else predicted.
  std::optional<std::int64_t> least_moved() const;
  // Statements whose tiles call BLAS in the code: "S1: dgemm of 29 x 29 x all (i, j, k)". What a
  // call moves inside is not among the numbers here, which are the tiles' own.
  std::vector<std::string> calls;
  std::string code;     // C: the file, or an einsum's text, with its region replaced; empty
                        // where it cannot be written, and
  std::string no_code;  // why: "it has several regions"
};

struct ScheduleRequest {
  BoundRequest program;  // with sizes for all parameters and S
  // What tile sizes are chosen for.
  cdag::Replacement replacement = cdag::Replacement::belady;
  // Vertices the search may replay, in millions: about 5 a second on one processor, or what takes
  // as long where it streams. The result depends on it and on nothing else of the machine. Nothing:
  // 100, or 15 for a cache, and where there is no graph: beyond `most_on_graph` instances, for a
  // cache beyond 4,000,000.
  std::optional<double> effort;
  // Instances beyond which there is no graph, at most 50,000,000: less is faster.
  std::int64_t most_on_graph = 50'000'000;
  ProgressCallback progress = {};
  // Tiles that are operations of BLAS call it (<cblas.h>): the code computes other roundings.
  bool blas = false;
};

// The cheapest legal tiled schedule found. Legal is what isl proves for all sizes: every value is
// computed after those it is made from, and no value is overwritten before its last reader (where
// that would forbid an order, values get storage of their own, or copies keep them). Loops come
// from isl's scheduler, tile sizes from replays on a smaller graph, refined at the sizes asked for.
// Beyond 50,000,000
// instances there is no graph: tile sizes are then those for a cache, and both orders are streamed
// through one, some 60 million accesses a second, where they have at most 500,000,000 accesses, or
// 2,000,000,000 and no prediction. Throws Error where a size is missing, there are more than 10^15
// accesses, arrays that are walked through have more than 10^9 elements, or S is too small for a
// statement. Other processors that the process may use work ahead of it (as copies of it, by fork);
// the schedule does not depend on how many there are.
TiledSchedule tiled_schedule(const ScheduleRequest& request);

// Throws the Error that tiled_schedule would begin with: a size that is missing, too many accesses.
// At once, whatever the sizes.
void check_schedule(const BoundRequest& request);

// Lower against upper bound of a program at given sizes.
struct Gap {
  double lower = 0;  // words: the strongest bound with nothing assumed
  // Words: the better of the program as written and as scheduled, where any are known.
  std::optional<std::int64_t> upper;
  std::string how;  // of `upper`: a replay with Belady's rule, through a cache (lru), or predicted
  double ratio() const {
    const auto moved = static_cast<double>(*upper);
    return moved == lower ? 1 : moved / lower;
  }
};

// Takes back a prediction below the bound: it cannot be right.
Gap gap_of(const BoundReport& report, TiledSchedule& schedule);

struct BoundedSchedule {
  TiledSchedule schedule;
  Gap gap;
};

// A schedule and the program's bound, which another processor derives meanwhile. Throws Error like
// tiled_schedule() and lower_bounds().
BoundedSchedule bounded_schedule(const ScheduleRequest& request);

// The program as written. Beyond 50,000,000 instances streamed through a cache (LRU only), up to
// 5,000,000,000 accesses.
Replays replay_program(const BoundRequest& request, const ProgressCallback& progress = {});

}  // namespace redblue
