// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/contraction.hpp"

#include <isl/map.h>

#include <algorithm>
#include <set>

#include "dataflow/copies.hpp"
#include "dataflow/dependences.hpp"
#include "program/repeated_reads.hpp"

namespace redblue::bounds {

using program::Access;
using program::Program;
using program::Statement;

namespace {

bool reads(const Statement& s, const std::string& array) {
  return std::any_of(s.reads.begin(), s.reads.end(),
                     [&array](const Access& read) { return read.array == array; });
}

// The statement whose values a read finds, one at each instance, another one at every other.
const Statement* maker(const Program& program, const Statement& reader, const Access& read) {
  if (read.conditional || !read.sources || read.sources->size() != 1) return nullptr;
  const program::Source& source = read.sources->front();
  const Statement* made =
      source.statement.empty() ? nullptr : dataflow::statement_named(program, source.statement);
  if (made == nullptr || made->name == reader.name || made->writes.size() != 1) return nullptr;
  const bool one_each = reader.domain.is_subset(source.values.domain()) &&
                        source.values.is_single_valued() && source.values.is_injective();
  const std::string& array = read.array;
  const bool used_here_only =
      program.arrays.at(array).dead() && made->writes.front().array == array &&
      !reads(*made, array) &&
      std::count_if(reader.reads.begin(), reader.reads.end(), [&](const Access& other) {
        return other.array == array ||
               std::any_of(other.sources->begin(), other.sources->end(),
                           [&](const program::Source& s) { return s.statement == made->name; });
      }) == 1;
  return one_each && used_here_only ? made : nullptr;
}

}  // namespace

std::vector<std::string> Contracted::conditions() const {
  std::vector<std::string> result;
  for (const std::string& value : values) {
    result.push_back("each value of " + value +
                     " is used once: of instances that need X words X at most use one made before");
  }
  return result;
}

std::optional<Contracted> contracted(const Program& program, const Statement& statement) {
  Contracted result{statement, statement, {}};
  std::set<std::string> gone = {statement.name};
  auto& all = result.statement.reads;
  for (std::size_t r = 0; r < all.size();) {
    const Statement* made = maker(program, result.statement, all[r]);
    if (made == nullptr || !gone.insert(made->name).second) {
      ++r;
      continue;
    }
    const Access read = all[r];
    result.values.push_back(read.array);
    std::erase_if(result.direct.reads,
                  [&read](const Access& other) { return other.array == read.array; });
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(r));
    for (const Access& operand : made->reads)
      all.push_back(dataflow::looked_through(read, operand));
    r = 0;  // these may be such values, too
  }
  const bool left = std::any_of(result.values.begin(), result.values.end(),
                                [&](const auto& array) { return reads(result.statement, array); });
  if (result.values.empty() || left) return std::nullopt;
  all = program::without_repeats(all);
  return result;
}

}  // namespace redblue::bounds
