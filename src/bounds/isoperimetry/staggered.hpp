// SPDX-License-Identifier: BSD-3-Clause
// Stencils on staggered grids: fields between the places of a main field, as in Yee's scheme and in
// acoustics (docs/methods/staggered.md).
#pragma once

#include <isl/cpp.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "bounds/fixed_reads.hpp"
#include "dataflow/step.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

struct Stencil;

// The main statement's instance x reads x - along. Each statement between its places has values y
// that the main instances y + a and y + b read, that read the main instances y + a - along and
// y + b - along, and that read y - along of their own statement, or else an input of their own.
struct Staggered {
  dataflow::Vector along;
  struct Between {
    const program::Statement* statement;
    isl::set last;  // instances that no later one of the statement reads
  };
  std::vector<Between> between;  // two or more
  std::vector<isl::map> ways;    // x -> y -> x - along, through each value y that x reads

  // Words that wait on each line along `along`, besides the main field's, at either end.
  long waiting() const { return static_cast<long>(between.size()) - 1; }
};

// What a stencil of one statement with a charge of 1 is; `direct`: so many of its steps are the
// statement's own reads, the others lead through other statements.
std::optional<Staggered> staggered(const program::Program& program, const FixedReads& reads,
                                   const Stencil& stencil, std::size_t direct);

// Whether an instance that one of these reads, and that lies behind another of them on a line along
// `along`, is one of these itself.
bool closed(const isl::set& instances, const std::vector<dataflow::Vector>& steps,
            const dataflow::Vector& along);

}  // namespace redblue::bounds
