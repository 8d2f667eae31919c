// SPDX-License-Identifier: BSD-3-Clause
// The built-in update of `redblue run stencil`: the average of the points read.
#pragma once

#include "redblue/stencil.hpp"

namespace redblue::stencil {

// For programs of one sweep with one read: the values around a point added up in the order of
// memory, times one over their number.
template <class T>
StencilUpdate<T> average(const StencilProgram& program);

}  // namespace redblue::stencil
