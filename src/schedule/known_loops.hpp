// SPDX-License-Identifier: BSD-3-Clause
// isl's loops, each found once: its scheduler takes seconds on a stencil in space.
#pragma once

#include <isl/cpp.h>

#include <map>
#include <optional>
#include <string>

#include "program/program.hpp"
#include "schedule/tiling.hpp"

namespace redblue::schedule {

class KnownLoops {
 public:
  // As loops() (tiling.hpp). The same instances, order and pairs to be close have the same loops,
  // whatever storage they are of. And where one band of all loops holds statements that all need
  // each other, none can run in loops of its own: isl would but tell whose instance is first where
  // two may run at once.
  std::optional<isl::schedule> of(const program::Program& program, const isl::union_map& order,
                                  const isl::union_map& close, Fusion fusion);

 private:
  std::map<std::string, std::optional<isl::schedule>> known_;
};

}  // namespace redblue::schedule
