// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/code.hpp"

#include <algorithm>

#include "schedule/codegen/emit.hpp"
#include "schedule/codegen/late_tiles_text.hpp"
#include "schedule/codegen/triangles.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule {

using program::Program;

std::vector<Family> needed(const Program& program, const isl::union_map& times,
                           const std::vector<Family>& families) {
  std::vector<Family> result = families;
  const auto moved = [](const Family& f) { return f.moved(); };
  if (std::none_of(families.begin(), families.end(), moved)) return result;
  for (Family& f : result) {
    if (!f.moved()) continue;
    const Family before = f;
    f.put_back();
    if (!respects(times, conflicts(privatised(program, result)))) f = before;
  }
  return result;
}

std::string code(const Program& program, const isl::union_map& times,
                 const std::vector<Family>& families) {
  codegen::Schedule schedule;
  schedule.families = families;
  schedule.rest = times;
  return codegen::emitted(program, schedule, one_at_a_time(privatised(program, families)));
}

std::string code(const Program& program, const TriangleBlocks& blocks) {
  return codegen::emitted(program, blocks);
}

std::string code(const LateTiles& tiles) {
  return codegen::emitted(tiles);
}

}  // namespace redblue::schedule
