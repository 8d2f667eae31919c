// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/bands/private_arrays.hpp"

#include <algorithm>

#include "dataflow/dependences.hpp"
#include "program/instances.hpp"
#include "schedule/bands/parallel.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Sizes;
using program::Statement;

namespace {

constexpr std::int64_t most_elements = 65'536;

// The program with those accesses only whose array is chosen.
template <class Chosen>
Program with_accesses(Program program, const Chosen& chosen) {
  const auto other = [&chosen](const Access& a) { return !chosen(a.array); };
  for (Statement& s : program.statements) {
    std::erase_if(s.reads, other);
    std::erase_if(s.writes, other);
  }
  return program;
}

bool is_small(const Program& program, const std::string& array, const Sizes& sizes) {
  return std::all_of(program.statements.begin(), program.statements.end(), [&](const Statement& s) {
    return std::all_of(s.writes.begin(), s.writes.end(), [&](const Access& write) {
      return write.array != array ||
             program::InstanceCount(write.elements.range()).at(sizes, most_elements).to_double() <
                 most_elements;
    });
  });
}

// Whether what instances of `upto` read of the array was written in the same step of the loop, and
// what they write is read in no other.
bool stays_in_a_step(const Program& program, const std::string& array, const isl::union_map& upto) {
  const isl::union_set inside = upto.domain();
  const isl::union_map together = upto.apply_range(upto.reverse());
  for (const Statement& s : program.statements) {
    for (const Access& read : s.reads) {
      if (read.array != array) continue;
      for (const program::Source& source : dataflow::sources(program, s, read)) {
        const isl::union_map values(source.values);
        const bool from_outside = source.statement.empty();
        if (from_outside && !values.intersect_domain(inside).is_empty()) return false;
        if (from_outside) continue;
        const isl::union_map here =
            values.intersect_domain(inside).unite(values.intersect_range(inside));
        if (!here.is_subset(together)) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> private_arrays(const Program& program,
                                                       const isl::union_map& order,
                                                       const isl::union_map& upto,
                                                       const Sizes& sizes) {
  std::vector<std::string> result;
  if (any_order(order, upto)) return result;
  for (const auto& [name, array] : program.arrays) {
    const auto this_one = [&name](const std::string& other) { return other == name; };
    if (array.declaration.empty() ||
        any_order(one_at_a_time(with_accesses(program, this_one)), upto))
      continue;
    if (!is_small(program, name, sizes) || !stays_in_a_step(program, name, upto))
      return std::nullopt;
    result.push_back(name);
  }
  const auto others = [&result](const std::string& name) {
    return std::find(result.begin(), result.end(), name) == result.end();
  };
  if (result.empty() || !any_order(one_at_a_time(with_accesses(program, others)), upto))
    return std::nullopt;
  return result;
}

}  // namespace redblue::schedule::codegen
