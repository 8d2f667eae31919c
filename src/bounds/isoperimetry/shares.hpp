// SPDX-License-Identifier: BSD-3-Clause
// What processors that share a stencil's work evenly receive from each other, whatever their
// memory (docs/methods/busiest.md, Lemma 3).
#pragma once

#include <optional>

#include "bounds/bound.hpp"
#include "bounds/isoperimetry/stencils.hpp"

namespace redblue::bounds {

// The busiest of p. Nothing where steps run along one line only, or no formula counts what it
// takes.
std::optional<Busiest> crossings_of_stencil(const Stencil& stencil, const Sizes& sizes);

}  // namespace redblue::bounds
