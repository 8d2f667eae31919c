// SPDX-License-Identifier: BSD-3-Clause
// Statements whose instances read one another at fixed distances, as steps of a lattice.
#pragma once

#include <optional>
#include <vector>

#include "bounds/isoperimetry/staggered.hpp"
#include "dataflow/step.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

// One statement of a stencil and what its instances read, step by step.
struct StencilPart {
  const program::Statement* statement;
  std::vector<isl::map> before;  // instance -> the instance one step before, of the part before
  std::vector<isl::map> starts;  // instances without that one -> the input they read instead
};

// Parts s_0, ..., s_(k-1), where each reads the one before (s_0 the last), and places in Z^n for
// their instances, such that every instance stands one step behind what it reads, for the same
// steps in all parts. Different instances with one place lie in different cosets of the lattice the
// steps span.
//
// Steps of a single statement also lead through others: x reads y and y reads x - d. A value y on
// such a way stands for at most `charge` places x - d that are not read directly
// (docs/methods/isoperimetry.md, Lemma 1).
struct Stencil {
  std::vector<dataflow::Vector> steps;
  std::vector<StencilPart> parts;
  int charge = 1;
  bool direct = true;  // whether all steps are reads of the instances themselves
  std::optional<Staggered> staggered = {};
};

// Stencils of the program's statements that have the same number of loops; single statements and
// rings of two to four.
std::vector<Stencil> stencils(const program::Program& program);

}  // namespace redblue::bounds
