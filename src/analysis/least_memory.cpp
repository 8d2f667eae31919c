// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/least_memory.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

namespace redblue::analysis {

using program::Access;
using program::Statement;

namespace {

isl::set at_sizes(const isl::set& set, const symbolic::Valuation& sizes) {
  isl_set* fixed = set.copy();
  for (const auto& [name, value] : sizes) {
    const int p = isl_set_find_dim_by_name(fixed, isl_dim_param, name.c_str());
    if (p < 0) continue;
    fixed = isl_set_fix_val(fixed, isl_dim_param, static_cast<unsigned>(p),
                            isl::val(program::context(), value.to_long()).release());
  }
  return isl::manage(fixed);
}

// Different elements that one instance reads: adds a read where some instance reads an element by
// it that none of the reads before gives. Never too many: one instance reads all that are counted.
std::int64_t most_read(const Statement& s, isl::set instances) {
  std::vector<const Access*> counted;
  for (const Access& read : s.reads) {
    if (read.conditional) continue;
    isl::set left = instances.intersect(read.elements.domain());
    for (const Access* other : counted) {
      if (other->array == read.array)
        left = left.subtract(read.elements.intersect(other->elements).domain());
    }
    if (left.is_empty()) continue;
    instances = left;
    counted.push_back(&read);
  }
  return static_cast<std::int64_t>(counted.size());
}

}  // namespace

LeastMemory least_memory(const program::Program& program, const symbolic::Valuation& sizes) {
  LeastMemory least;
  for (const Statement& s : program.statements) {
    const isl::set instances = at_sizes(s.domain, sizes);
    if (instances.is_empty()) continue;
    const std::int64_t words = most_read(s, instances) + 1;
    if (words <= least.words && !least.statement.empty()) continue;
    least = {std::max(words, least.words), s.name};
  }
  return least;
}

}  // namespace redblue::analysis
