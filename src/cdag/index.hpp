// SPDX-License-Identifier: BSD-3-Clause
// Vertices as indices of vectors.
#pragma once

#include <cstddef>

#include "redblue/cdag.hpp"

namespace redblue::cdag {

constexpr std::size_t at(Vertex v) {
  return static_cast<std::size_t>(v);
}

}  // namespace redblue::cdag
