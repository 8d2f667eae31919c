// SPDX-License-Identifier: BSD-3-Clause
// Counters in a program that is to run.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "frontend/llvm/ir/sites.hpp"
#include "frontend/llvm/source.hpp"

namespace redblue::frontend::llvm_ir {

// A place that is counted, or a number that is noted.
struct Counted {
  const llvm::Function* function = nullptr;
  Site site;
};

// A call that lets threads run a parallel region.
struct Fork {
  const llvm::Function* function = nullptr;  // that it stands in
  const llvm::Function* region = nullptr;
  std::string calls;
};

// What the counters of a run stand for. In a table of the run there come first the iterations and
// entries of loop 0, 1, .. of the source, then `places`, then `values`.
struct Counters {
  std::size_t loops = 0;
  std::vector<Counted> places;
  std::vector<Counted> values;
  std::vector<Fork> forks;

  // Where places and values begin in a table.
  std::size_t first_place() const { return 2 * (loops + 1); }
  std::size_t first_value() const { return first_place() + places.size(); }
  // The calls by which control may reach a function: of a region those of its forks, as the
  // counted module, where it is inlined, has them; of others none.
  std::vector<std::string> ways_to(const llvm::Function& function) const;
  // The calls that lead to what a region does, by the number that the run gives them.
  std::string calls_by(std::int64_t context) const;
};

// Puts counters into all functions: for every loop, and for the places and values that `wanted`
// names.
Counters insert_counters(Source& source, const std::set<std::string>& wanted);

}  // namespace redblue::frontend::llvm_ir
