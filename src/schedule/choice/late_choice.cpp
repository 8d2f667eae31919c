// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/choice/late_choice.hpp"

#include <algorithm>
#include <cmath>

#include "schedule/bands/cycles.hpp"
#include "schedule/codegen/late_tiles_text.hpp"
#include "schedule/late/late_tiles.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule::codegen {

namespace {

// Of an instance of a statement, all of whose parts cost the same.
double cycles(const std::string& statement, const WithCopies& copied, const Chosen& chosen,
              std::int64_t side) {
  for (std::size_t p = 0; p < copied.part_of.size(); ++p) {
    if (copied.part_of[p] != statement) continue;
    const program::Statement& part = chosen.program.statements[p];
    const InnerLoop inner = own_inner_loop(part, chosen.order);
    return cycles_of(inner) + division_cycles(part, inner) +
           from_memory * 2 / static_cast<double>(side);
  }
  return 0;
}

}  // namespace

std::int64_t late_side(const WithCopies& copied, const Processor& processor) {
  // A tile runs many steps at once, so it stays in the first cache, of 32 KiB at least.
  constexpr double first_cache_words = 4096, part = 0.8;
  constexpr std::int64_t whole_vectors = 8;
  const double words =
      part * std::min(first_cache_words, static_cast<double>(processor.cache_words));
  const double side = std::pow(words, 1.0 / copied.program.arrays.at(copied.array).dimensions);
  return std::max<std::int64_t>(1, std::llround(side) / whole_vectors) * whole_vectors;
}

std::optional<Chosen> late_choice(const program::Program& program, const WithCopies& copied,
                                  std::int64_t side, const program::Sizes& sizes,
                                  const Processor& processor,
                                  const std::vector<double>& instances) {
  if (side < 2) return std::nullopt;
  const std::optional<LateTiles> tiles = late_tiles(copied, side);
  if (!tiles) return std::nullopt;
  Chosen result;
  result.program = copied.program;
  result.schedule = schedule_of(*tiles);
  result.schedule.vector_bytes = processor.vector_bytes;
  result.schedule.threads = processor.threads;
  result.schedule.sizes = sizes;
  result.order = result.exclusive = conflicts(result.program);
  result.choice = {late_order, processor.vector_bytes, {}, side};
  for (const StepCopy& copy : copied.copies)
    result.copies.push_back(copied.array + " -> " + copy.name);
  for (std::size_t s = 0; s < program.statements.size(); ++s)
    result.cycles +=
        instances[s] * cycles(program.statements[s].name, copied, result, side) / processor.threads;
  return result;
}

}  // namespace redblue::schedule::codegen
