// SPDX-License-Identifier: BSD-3-Clause
// Inputs that instances of a stencil read in place of values.
#pragma once

#include <isl/cpp.h>

#include <vector>

#include "bounds/isoperimetry/stencils.hpp"

namespace redblue::bounds {

// By part and step: the reads of inputs where different inputs stand for different places. None at
// all where finding them takes too long (stencils of many points): fewer reads count as in place,
// and so fewer instances are counted, which only weakens a bound.
std::vector<std::vector<isl::map>> clean_starts(const Stencil& stencil);

// x -> x - by, from one statement's instances to places among another's.
isl::map places_behind(const isl::set& from, const isl::set& to, const dataflow::Vector& by);

}  // namespace redblue::bounds
