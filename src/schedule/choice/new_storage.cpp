// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/choice/new_storage.hpp"

#include <algorithm>

#include "program/instances.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Sizes;

namespace {

double points_of(Program program, const program::Statement& s, const isl::set& set,
                 const Sizes& sizes) {
  constexpr std::int64_t most = 1'000'000'000'000'000'000;
  program.statements = {s};
  program.statements.front().domain = set;
  return program::InstanceCount(program).at(sizes, most).to_double();
}

}  // namespace

double new_words(const Program& program, const std::vector<Family>& families, const Sizes& sizes) {
  double words = 0;
  for (const Family& f : families) {
    if (f.iterators.empty()) continue;
    double most = 0;
    for (const std::size_t writer : f.writers) {
      const program::Statement& s = program.statements[writer];
      for (const program::Access& write : s.writes) {
        if (write.array == f.storage)
          most = std::max(most, points_of(program, s, write.elements.range(), sizes));
      }
    }
    words += most;
  }
  return words;
}

}  // namespace redblue::schedule::codegen
