// SPDX-License-Identifier: BSD-3-Clause
// What loops cost, by the model that chooses among them.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/bands/plain.hpp"

namespace redblue::schedule::codegen {

// Cycles per instance, measured on loops of PolyBench: an element of a register block; an access of
// a loop in vectors to the next element, to a far one; an instance that waits for the one before.
constexpr double in_block = 0.15, in_vector = 0.1, to_next = 0.05, to_far = 4, waits = 4;
// To a far one in a tile of so few steps that its lines stay in the first cache: all loops have at
// most `small_tile` steps, or the innermost one's touch at most `lines_that_stay`.
constexpr double to_far_in_tile = 1;
constexpr std::int64_t small_tile = 32, longest_strip = 256, lines_that_stay = 384;
// Instances of a wavefront that run at once: more need more lines of the first cache.
constexpr std::int64_t in_wavefront = 8;
// Cycles per word from beyond the cache.
constexpr double from_memory = 1;
// Per word of memory that the system gives and clears: a page fault takes a microsecond, on virtual
// machines several.
constexpr double from_system = 30;
// Cycles per division, of which no two overlap: also in vectors.
constexpr double per_division = 2;

// More where the next step waits for it.
constexpr double waits_for_division = 13;

// An instance in a call of BLAS.
constexpr double in_call = 0.05;

// Of an instance's divisions in that innermost loop.
double division_cycles(const program::Statement& s, const InnerLoop& inner);

// Steps of an innermost loop whose far lines stay in the first cache until the loop just around it
// needs them again.
std::int64_t strip_of(const InnerLoop& inner);

// Of an instance, by the innermost loop around it and the tiles of its band.
double cycles_of(const InnerLoop& inner, const std::vector<std::int64_t>& tiles = {});

// The innermost loop of a statement as the source has it.
InnerLoop own_inner_loop(const program::Statement& s, const isl::union_map& order);

}  // namespace redblue::schedule::codegen
