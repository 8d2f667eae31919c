// SPDX-License-Identifier: BSD-3-Clause
// Machines: processors, memory levels and the network, read from machine files; what a program's
// data movement asks of a level against what the machine carries. Arithmetic only: no MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "redblue/units.hpp"

namespace redblue {

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
  // Of one processor, from the last cache; data of up to cached_bytes of a rank stay there from one
  // use to the next while all ranks of its machine have as much. 0: unknown.
  double cache_bytes_per_second = 0;
  std::int64_t cached_bytes = 0;
  // Every `ranks_together` ranks in turn share so many processors; 0: each rank has its own.
  double processors = 0;
  int ranks_together = 0;
  double turn_seconds = 0;  // until a rank that waited gets one while others compute on all of them
  // What an exchange with two neighbours takes while all ranks compute before and after it, beside
  // its bytes: the latency and waiting for processors. 0: the latency.
  double exchange_seconds = 0;
  double waiting_seconds = 0;  // of a message while all ranks send and await one; 0: the latency

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
// Levels whose balance is unknown are left out. Throws Error for a machine without levels and for a
// schedule said to move less than what any execution must.
std::vector<LevelBalance> balance(const Machine& machine, const ProgramTraffic& traffic);

}  // namespace redblue
