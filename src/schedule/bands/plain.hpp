// SPDX-License-Identifier: BSD-3-Clause
// A band of loops without register blocks: which loop is innermost, so that it fills vectors, and
// tiles for a cache.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/enumerate.hpp"
#include "schedule/blocks/blocks.hpp"

namespace redblue::schedule::codegen {

// What an innermost loop does to memory: accesses of an instance, the mean over those inside.
struct InnerLoop {
  int member = -1;
  bool independent = false;  // its steps may run in any order, but for few of them
  bool apart = false;        // statements one after the other, each over the whole loop
  double next = 0;           // accesses that step to the next element
  double same = 0;           // accesses that stay
  double far = 0;            // others
  double far_in_line = 0;    // of those, the ones that the loop just around steps to the next of
  int divisions = 0;         // that each statement makes, at least
};

// Of an instance.
int divisions(const program::Statement& s);

// Adds a statement's accesses, each with what a step of the loop does to it; writes count twice.
// `part`: of all instances inside, those that are the statement's; `around`: what a step of the
// loop just around does, where there is one.
void count_accesses(const program::Statement& s, InnerLoop& inner, double part,
                    const std::function<Stride(const program::Access&)>& stride,
                    const std::function<Stride(const program::Access&)>& around = nullptr);

// A member of the band as the innermost loop; `instances`: of each statement of the program.
InnerLoop inner_loop(const program::Program& program, const LeafBand& band, int member,
                     const isl::union_map& order, const std::vector<double>& instances);

// Every one.
std::vector<InnerLoop> inner_loops(const program::Program& program, const LeafBand& band,
                                   const isl::union_map& order,
                                   const std::vector<double>& instances);

// The one to choose: independent first, before all where steps that wait would wait for divisions,
// then fewest far accesses, writes counted twice.
InnerLoop best_inner_loop(const std::vector<InnerLoop>& all);

// Instance -> that member.
isl::union_map member(const LeafBand& band, int member);

// The loops inside tiles, from the outside in: all members, the inner one last.
std::vector<int> loops_in_order(const LeafBand& band, const InnerLoop& inner);

// Times of the band's instances: around, `outside` (an expression in m0, m1, .. each), tiles (sizes
// by member; 0: the whole loop), members with the inner one last, the statements' order before or
// after it. A member with `pieces` (by member) runs one piece after the other.
isl::union_map plain_times(const LeafBand& band, const InnerLoop& inner,
                           const std::vector<std::int64_t>& tiles,
                           const std::vector<std::string>& outside = {},
                           const std::map<int, isl::union_map>& pieces = {});

// The depths at which these times have pieces.
std::vector<int> piece_depths(const LeafBand& band, const InnerLoop& inner,
                              const std::vector<std::int64_t>& tiles,
                              const std::map<int, isl::union_map>& pieces);

}  // namespace redblue::schedule::codegen
