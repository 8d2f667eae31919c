// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/contraction.hpp"

#include <isl/map.h>

#include <algorithm>
#include <map>

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
  const std::string& array = read.array;
  const bool is_alone = program.arrays.at(array).dead() && made->writes.front().array == array &&
                        !reads(*made, array);
  const bool one_each = is_alone && reader.domain.is_subset(source.values.domain()) &&
                        source.values.is_single_valued() && source.values.is_injective();
  return one_each ? made : nullptr;
}

// Whether all that the reader finds in the array, or of the statement that makes its values, is one
// value at each instance.
bool is_one_value(const Statement& reader, const std::string& array, const program::Source& made) {
  return std::all_of(reader.reads.begin(), reader.reads.end(), [&](const Access& read) {
    const bool is_of_it =
        read.array == array ||
        std::any_of(read.sources->begin(), read.sources->end(),
                    [&](const program::Source& s) { return s.statement == made.statement; });
    return !is_of_it || (read.array == array && read.sources->size() == 1 &&
                         read.sources->front().statement == made.statement &&
                         read.sources->front().values.is_equal(made.values));
  });
}

}  // namespace

std::vector<std::string> Contracted::conditions() const {
  std::vector<std::string> result;
  for (const std::string& value : values) {
    result.push_back("each value of " + value +
                     " is used by one instance: of instances that need X words X at most use one "
                     "made before");
  }
  return result;
}

std::optional<Contracted> contracted(const Program& program, const Statement& statement) {
  Contracted result{statement, statement, {}, {}};
  auto& gone = result.makers;
  auto& all = result.statement.reads;
  for (std::size_t r = 0; r < all.size();) {
    const Statement* made = maker(program, result.statement, all[r]);
    const auto known = made == nullptr ? gone.end() : gone.find(made->name);
    const bool is_new = made != nullptr && known == gone.end();
    const bool is_one = made != nullptr && made->name != statement.name &&
                        is_one_value(result.statement, all[r].array, all[r].sources->front()) &&
                        (is_new || known->second.is_equal(all[r].sources->front().values));
    if (!is_one) {
      ++r;
      continue;
    }
    const Access read = all[r];
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(r));
    r = 0;  // what it is made from may be such values, too
    if (!is_new) continue;
    gone.emplace(made->name, read.sources->front().values);
    result.values.push_back(read.array);
    std::erase_if(result.direct.reads,
                  [&read](const Access& other) { return other.array == read.array; });
    for (const Access& operand : made->reads)
      all.push_back(dataflow::looked_through(read, operand));
  }
  const bool left = std::any_of(result.values.begin(), result.values.end(),
                                [&](const auto& array) { return reads(result.statement, array); });
  if (result.values.empty() || left) return std::nullopt;
  all = program::without_repeats(all);
  return result;
}

}  // namespace redblue::bounds
