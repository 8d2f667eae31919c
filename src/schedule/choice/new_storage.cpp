// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/choice/new_storage.hpp"

#include <algorithm>

#include "program/instances.hpp"

namespace redblue::schedule::codegen {

using program::InstanceCount;
using program::Program;
using program::Sizes;

Program with_storage(const program::Program& program, const std::vector<Family>& families) {
  Program result = privatised(program, families);
  for (const Family& f : families) {
    if (!f.moved()) continue;
    for (program::Variable v : program.region.variables) {
      if (v.name != f.array) continue;
      v.name = f.storage;
      result.region.variables.push_back(v);
    }
  }
  return result;
}

double new_words(const Program& program, const std::vector<Family>& families, const Sizes& sizes) {
  constexpr std::int64_t most_points = 1'000'000'000'000'000'000;
  double words = 0;
  for (const Family& f : families) {
    if (f.iterators.empty()) continue;
    double most = 0;
    for (const std::size_t writer : f.writers) {
      const program::Statement& s = program.statements[writer];
      for (const program::Access& write : s.writes) {
        if (write.array == f.storage)
          most = std::max(most,
                          InstanceCount(write.elements.range()).at(sizes, most_points).to_double());
      }
    }
    words += most;
  }
  return words;
}

}  // namespace redblue::schedule::codegen
