// SPDX-License-Identifier: BSD-3-Clause
// A scheduled program as C: the original file with its region replaced.
#pragma once

#include <string>
#include <vector>

#include "program/enumerate.hpp"
#include "schedule/bands/parallel.hpp"
#include "schedule/bands/tree.hpp"
#include "schedule/blocks/calls.hpp"

namespace redblue::schedule::codegen {

// One innermost band as it will run.
struct ScheduledBand {
  LeafBand band;
  std::optional<Blocked> block;      // register blocks, or
  isl::union_map times;              // of every instance
  std::optional<Shared> shared;      // without blocks: loops that threads can share
  std::vector<int> pieces = {};      // depths of times that are pieces of a loop (pieces.hpp)
  std::optional<Called> calls = {};  // without blocks: tiles that are calls of BLAS
};

// A comment at some times, instances of a statement of its own.
struct Remark {
  std::string name, text;
  isl::union_map times;
};

struct Schedule {
  std::vector<Family> families;
  std::vector<ScheduledBand> bands;
  isl::union_map rest;    // times of statements in no band
  int vector_bytes = 64;  // of a register
  // More than 1: the outermost loops whose steps may run in any order are shared out, where a run
  // at these sizes gives them enough to do.
  int threads = 1;
  program::Sizes sizes = {};
  // Depths of loops that count tiles one by one: of a schedule that has some, only these are shared
  // out, in equal parts where the tiles take equally long.
  std::optional<std::vector<int>> tiles_counted = {};
  std::vector<std::string> opening = {}, closing = {};  // lines of C around all loops
  std::vector<Remark> remarks = {};
  std::vector<std::string> names = {};  // of the outermost loops, by depth
  std::vector<int> unrolled = {};       // depths of loops of few steps, written one by one
};

// All instances' times, of one length.
isl::union_map all_times(const Schedule& schedule);

// C that computes what the program computes, bit for bit but for calls of BLAS; `order`: pairs that
// must not run at once (one_at_a_time). Throws Error for programs that were not read from one
// region of a C file.
std::string emitted(const program::Program& program, const Schedule& schedule,
                    const isl::union_map& order);

}  // namespace redblue::schedule::codegen
