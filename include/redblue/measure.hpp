// SPDX-License-Identifier: BSD-3-Clause
// A loop nest's C as a processor runs it fast, and how fast it is: compiled, checked and timed
// beside the source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redblue/analysis.hpp"
#include "redblue/progress.hpp"
#include "redblue/schedule.hpp"

namespace redblue {

// What schedules for speed are made for.
struct Processor {
  std::int64_t cache_bytes = 1 << 20;  // of the cache that tiles are for: the second level
  int vector_bytes = 32;               // of a register
  int threads = 1;                     // that share loops (OpenMP) where that is worth waking them
  // Tiles that are operations of BLAS call it (<cblas.h>): other roundings. One thread; no search.
  bool blas = false;
  // Sums and products may be added up and multiplied in another order: other roundings.
  bool reassociate = false;
};

// The one this program runs on.
Processor this_processor();

// A program's loops in an order that should run faster: register blocks for sums of products
// ([goto2008]), loops that fill vectors, tiles for a cache.
struct FastCode {
  std::string program;
  std::string code;      // C: the file with its region replaced; the file itself where unchanged
  bool changed = false;  // no order is expected to beat the source's own: false
  std::vector<std::string> blocks;  // statements in register blocks: "S1: 8 x 24 (i, j)"
  // Statements whose tiles call BLAS (Processor::blas), and the tiles: "S1: dgemm (i, j, k)" of
  // whole loops, "S1: dgemm of 1024 x 1024 x all, 256 x 256 x all (i, j, k)".
  std::vector<std::string> calls;
  std::vector<std::string> storage;  // arrays whose values need storage of their own
  // Updates that run in another order, which changes no bit (of two equal zeros, or of several
  // NaNs, C leaves open which fmax returns): "fmax of best"; with Processor::reassociate,
  // roundings: "sum of y". The proved bounds are of the source's.
  std::vector<std::string> reordered;
};

struct FastCodeRequest {
  BoundRequest program;  // with sizes for all parameters; S is not used
  Processor processor = this_processor();
};

// Chosen by a model of loops, for the sizes asked for; valid for all sizes, and computes the same
// bits where the compiler does not contract a * b + c and no BLAS is called. Throws Error where a
// size is missing or the program was not read from one region of a C file.
FastCode fast_code(const FastCodeRequest& request);

// C to stand behind the program's function: a function for Fortran, of its name in small letters
// and "_", that takes every argument by address. Throws Error where the function has a parameter
// that Fortran cannot pass.
std::string fortran_entry(const BoundRequest& request);

// A cache between the processor and memory.
struct CacheLevel {
  std::string name;  // "L2 cache"
  std::int64_t bytes = 0;
  std::int64_t words = 0;  // more than 0: it holds so many, however wide, whatever its bytes
};

// What moves in and out of one cache, in words: elements of the program's widest type. Counted, not
// measured: every access in its turn, in a fully associative cache of single words whose word used
// longest ago leaves, also where it is needed no more, and is stored where it was changed. (Of
// Replays::lru's memory what nobody reads again leaves at once: it moves less.) Loads and stores of
// the code's own copies of operands, and what a cache line brings besides the word asked for, are
// not among them.
struct LevelTraffic {
  std::string name;
  std::int64_t capacity = 0;                        // words: S of the bound
  double bound = 0;                                 // proved: no order moves less
  std::optional<MemoryTraffic> original, schedule;  // nothing: not_counted says why
  std::string not_counted;
  // Of the schedule, without a walk through all of it; nothing where smaller sizes and parts of it
  // do not tell, or tell less than the bound.
  std::optional<PredictedTraffic> predicted;
};

// The model's best orders, or those near its choice, compiled and timed.
struct OrderSearch {
  double seconds = 0;  // that it took
  int tried = 0;
  // Of the best found and of the model's choice, the least of calls that took turns.
  double best_seconds = 0, model_seconds = 0;
  std::string choice;  // the best: "loops 2, vectors 64; inner 1, tiles 0 32"; "source": its own
  // Choices whose code was faster and gave other bits: each a fault of redblue, not taken.
  std::vector<std::string> other_bits;
};

struct Measurement {
  FastCode schedule;
  std::optional<OrderSearch> compared;  // where several of the model's orders were timed
  std::optional<OrderSearch> search;    // where one was asked for
  bool remembered = false;              // the schedule, or where the search began: an earlier one's
  std::string not_remembered;           // why this search's result was not kept; or empty
  std::string compiler;                 // "cc -O3 -march=native"
  int repetitions = 0;                  // of each, taking turns
  double original_seconds = 0;          // medians
  double schedule_seconds = 0;
  int threads = 1;  // that run the schedule; 1 where more were asked for and were no faster
  // Of the schedule on one thread, where more run it.
  std::optional<double> one_thread_seconds;
  // Of an order that does not gain 3 %, or of threads that turned out slower: the schedule is then
  // the source's own order, or one thread's.
  std::optional<double> tried_seconds;
  bool same_results = false;  // bit for bit, compiled with -ffp-contract=off, or:
  // With Processor::blas or reassociate: how far elements may be apart, as a part of the largest of
  // their magnitudes and their array's mean one; and how far they are.
  std::optional<double> tolerance, largest_difference;
  std::string first_difference;  // "C[17]: 1.5 and 1.25"
  // Of sums in another order, asked for and not taken, as it is more than the tolerance: problems
  // that make much of a rounding. Else empty.
  std::string rounding_difference;
  double operations = 0;  // additions, multiplications, .. of the statements, all instances
  std::vector<LevelTraffic> levels;  // those of the request
  double speedup() const { return original_seconds / schedule_seconds; }
};

struct MeasureRequest {
  FastCodeRequest code;
  int repetitions = 5;
  std::vector<CacheLevel> levels = {};  // next to the processor first
  // Orders of more accesses are not counted: some 60 million a second, one bit of memory each.
  double most_accesses = 2e9;
  // So many of the orders that the model takes for the fastest are compiled and timed by turns, for
  // half a minute at most, and the fastest is measured. 1: the model's choice. Not with BLAS.
  int orders_compared = 4;
  // More than 0: neighbours of the model's choice are tried until so much time is spent.
  double search_seconds = 0;
  // A folder: what searches found is kept there, and found again for the same program, sizes,
  // processor, compiler and flags (a header that the program includes may change unnoticed).
  std::string search_folder = {};
  ProgressCallback progress = {};
};

// Additions, multiplications, .. of all statements, all instances; 0 where nothing is computed but
// copies. Throws Error where a size is missing.
double arithmetic_operations(const BoundRequest& request);

// $REDBLUE_CACHE_DIR, $XDG_CACHE_HOME/redblue or ~/.cache/redblue; empty without any of them.
std::string search_folder();

// Compiles both with the environment's CC (cc), -O3 -march=native and the request's flags, runs
// them on the same data: random numbers, diagonals of square arrays made dominant. Needs twice the
// program's arrays in memory. Throws Error where the compiler fails, or a parameter of the function
// is neither a number nor an array of numbers.
Measurement measure(const MeasureRequest& request);

}  // namespace redblue
