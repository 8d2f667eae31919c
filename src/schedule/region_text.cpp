// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/region_text.hpp"

#include <isl/aff.h>
#include <isl/local_space.h>
#include <isl/set.h>

#include <algorithm>
#include <regex>

#include "redblue/error.hpp"
#include "schedule/c_text.hpp"

namespace redblue::schedule {

using program::Program;
using program::Statement;

namespace {

constexpr const char* macros =
    "#include <stdlib.h>\n"
    "#define redblue_floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))\n"
    "#define redblue_min(x, y) ((x) < (y) ? (x) : (y))\n"
    "#define redblue_max(x, y) ((x) > (y) ? (x) : (y))\n";

// The elements of new storage: iterators, then subscripts.
isl::set elements(const Program& program, const std::vector<Family>& families, const Family& f) {
  const Program moved = privatised(program, families);
  std::optional<isl::set> all;
  for (const std::size_t s : f.writers) {
    const isl::set range = moved.statements[s].writes.front().elements.range();
    all = all ? all->unite(range) : range;
  }
  return *all;
}

// The smallest value of the iterator at `position` among a family's writers, as C; empty where that
// is never negative.
std::string negative_first(const Program& program, const Family& f, int position) {
  std::optional<isl::set> all;
  for (const std::size_t s : f.writers) {
    isl_set* values = isl_set_reset_tuple_id(program.statements[s].domain.copy());
    const auto depth = static_cast<unsigned>(isl_set_dim(values, isl_dim_set));
    const auto at = static_cast<unsigned>(position);
    values = isl_set_project_out(values, isl_dim_set, at + 1, depth - at - 1);
    const isl::set here = isl::manage(isl_set_project_out(values, isl_dim_set, 0, at));
    all = all ? all->unite(here) : here;
  }
  const isl::pw_aff first = isl::manage(isl_set_dim_min(all->copy(), 0));
  const isl::pw_aff zero = isl::manage(isl_pw_aff_zero_on_domain(isl_local_space_from_space(
      isl_set_get_space(isl::manage(isl_pw_aff_domain(first.copy())).get()))));
  isl_set* negative = isl_pw_aff_lt_set(first.copy(), zero.copy());
  for (unsigned p = 0; p < static_cast<unsigned>(isl_set_dim(negative, isl_dim_param)); ++p)
    negative = isl_set_lower_bound_si(negative, isl_dim_param, p, 0);
  if (isl::manage(negative).is_empty()) return "";
  return renamed(in_parameters(first, all->params()));
}

}  // namespace

std::string subscript(const Program& program, const Family& f, int position,
                      const std::string& value) {
  const std::string first = negative_first(program, f, position);
  return "[" + value + (first.empty() ? "" : " - (" + first + ")") + "]";
}

void require_one_region(const Program& program) {
  if (program.region.can_be_written()) return;
  throw Error("C for " + program.name, program.region.why_not_written(),
              program.region.pieces == 1 ? "ask for the schedule without -o, or write elements as "
                                           "A[i][j], choices as ?: and macros out"
                                         : "give a function with one #pragma scop region");
}

std::string with_region(const Program& program, const std::string& more,
                        const std::string& region) {
  require_one_region(program);
  const std::string& file = program.region.text;
  const program::Span where = program.region.where;
  return macros + more + file.substr(0, where.begin) + "\n" + region + file.substr(where.end);
}

std::string on_one_line(const std::string& source) {
  const std::string bare = std::regex_replace(
      std::regex_replace(source, std::regex("//[^\n]*"), " "), std::regex("/\\*[^]*?\\*/"), " ");
  return std::regex_replace(bare, std::regex("\\s+"), " ");
}

const Family* moved_family(const std::vector<Family>& families, std::size_t statement,
                           std::optional<std::size_t> read) {
  for (const Family& f : families) {
    const bool here =
        read ? std::count(f.readers.begin(), f.readers.end(), std::pair(statement, *read)) != 0
             : std::count(f.writers.begin(), f.writers.end(), statement) != 0;
    if (here) return f.moved() ? &f : nullptr;
  }
  return nullptr;
}

program::Span array_name(const Program& program, const Statement& s, const program::Access& access,
                         const program::Span& where) {
  std::size_t end = where.begin;
  while (end < where.end && in_word(s.source[end])) ++end;
  if (end == where.begin) {
    throw Error(program.region.file + ":" + std::to_string(s.line),
                "'" + access.text + "' cannot be given other storage", "write it as A[i][j]");
  }
  return {where.begin, end};
}

int dimensions(const Program& program, const Family& f) {
  return program.arrays.at(f.array).dimensions + static_cast<int>(f.iterators.size());
}

std::vector<std::string> declaration(const Program& program, const std::vector<Family>& families,
                                     const Family& f) {
  std::string element = f.array;
  for (int d = 0; d < program.arrays.at(f.array).dimensions; ++d) element += "[0]";
  const std::string type = "__typeof__(" + element + ")";
  const int all = dimensions(program, f);
  if (all == 0) return {type + " " + f.storage + ";"};
  const isl::set where = elements(program, families, f);
  std::string rows, first;
  for (int d = 0; d < all; ++d) {
    const std::string begin =
        d < std::ssize(f.iterators)
            ? negative_first(program, f, f.iterators[static_cast<std::size_t>(d)])
            : "";
    const std::string extent =
        "redblue_max(1, " +
        renamed(in_parameters(isl::manage(isl_set_dim_max(where.copy(), d)), where.params())) +
        (begin.empty() ? "" : " - " + begin) + " + 1)";
    (d == 0 ? first : rows) += "[" + extent + "]";
  }
  return {type + " (*" + f.storage + ")" + rows + " = malloc(sizeof(" + type + first + rows + "));",
          "if (" + f.storage + " == 0) abort();"};
}

}  // namespace redblue::schedule
