// SPDX-License-Identifier: BSD-3-Clause
// Statements, or parts of them, inside of a step of outer loops.
#pragma once

#include <isl/cpp.h>

#include <map>
#include <optional>
#include <string>

#include "schedule/nests.hpp"

namespace redblue::schedule {

// Whether instances in one step of the outer loops (`outer`: instance -> step) agree in iterator d.
bool is_given(const isl::set& instances, const isl::map& outer, int d);

// A statement cut in two.
struct Cut {
  isl::set first;                    // the instances of the first part
  std::optional<isl::map> mirrored;  // those of the other one -> where they are, seen in a mirror
};
using Cuts = std::map<std::string, Cut>;  // by statement

// Statements cut [griebl2000] where `order`, the pairs of instances that keep their order inside of
// a step, shows one of two reasons:
//
//  - what others wait for is a slice: A[i][j] -= .. for j = k + 1 alone is needed by what computes
//    column k + 1, and only the other columns wait for that;
//  - pairs mirror each other: y[k - 1 - i] is read where z[i] is computed, and overwritten later.
//    Both halves may run at once, from the ends to the middle.
Cuts cuts(const program::Program& program, const isl::union_map& outer,
          const isl::union_map& order);

// Statements and parts without the iterators that the outer loops give: S[k, j, i] -> S[j, i].
struct Parts {
  program::Program program;  // names, instances and times; no accesses
  isl::union_map of;         // instance of the statement -> that of its part
};
Parts inner_parts(const program::Program& program, const isl::union_map& outer,
                  const Cuts& cuts = {});

// isl's order of the parts inside of the steps, where `order` is kept and `close` should run near
// each other; nothing where isl finds none.
std::optional<Nest> nest_inside(const isl::union_map& outer, const Parts& parts,
                                const isl::union_map& order, const isl::union_map& close,
                                Fusion fusion, const std::vector<Family>& families);

}  // namespace redblue::schedule
