// SPDX-License-Identifier: BSD-3-Clause
// The schedule that should run fastest, by a model of loops: no program is run.
#pragma once

#include <cstdint>
#include <optional>

#include "program/enumerate.hpp"
#include "schedule/codegen/emit.hpp"

namespace redblue::schedule::codegen {

struct Processor {
  std::int64_t cache_words = 131'072;  // of doubles, of the cache that tiles are for
  int vector_bytes = 64;
  int threads = 1;
};

struct Chosen {
  program::Program program;  // with the families' storage in its accesses
  Schedule schedule;
  isl::union_map order;  // what must stay in order in `program`
  double cycles = 0;     // the model's, at the sizes it was chosen for
};

// Nothing where no order is expected to beat the program's own.
std::optional<Chosen> fastest(const program::Program& program, const program::Sizes& sizes,
                              const Processor& processor);

}  // namespace redblue::schedule::codegen
