// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/storage.hpp"

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <optional>

#include "schedule/c_text.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Statement;

int Storage::dimensions(const Family& f) const {
  return program_.arrays.at(f.array).dimensions + static_cast<int>(f.iterators.size());
}

// Of the new storage: iterators, then subscripts.
isl::set Storage::elements(const Family& f) const {
  const Program moved = privatised(program_, families_);
  std::optional<isl::set> all;
  for (const std::size_t s : f.writers) {
    const isl::set range = moved.statements[s].writes.front().elements.range();
    all = all ? all->unite(range) : range;
  }
  return *all;
}

void Storage::declare(const Family& f, Lines& lines) const {
  std::string element = f.array;
  for (int d = 0; d < program_.arrays.at(f.array).dimensions; ++d) element += "[0]";
  const std::string type = "__typeof__(" + element + ")";
  const int all = dimensions(f);
  if (all == 0) return lines.add(type + " " + f.storage + ";");
  const isl::set where = elements(f);
  std::string rows, first;
  for (int d = 0; d < all; ++d) {
    const std::string extent =
        "redblue_max(1, " +
        renamed(in_parameters(isl::manage(isl_set_dim_max(where.copy(), d)), where.params())) +
        " + 1)";
    (d == 0 ? first : rows) += "[" + extent + "]";
  }
  lines.add(type + " (*" + f.storage + ")" + rows + " = malloc(sizeof(" + type + first + rows +
            "));");
  lines.add("if (" + f.storage + " == 0) abort();");
}

void Storage::declare(Lines& lines) const {
  for (const auto& [name, array] : program_.arrays) {
    const bool replaced = std::any_of(families_.begin(), families_.end(), [&](const Family& f) {
      return f.array == name && !f.moved();
    });
    if (!array.declaration.empty()) lines.add(array.declaration + ";");
    if (!array.declaration.empty() && !replaced) lines.add("(void)" + name + ";");
  }
  for (const Family& f : families_) {
    if (f.moved()) declare(f, lines);
  }
}

void Storage::copy_out(const Family& f, const isl::map& last, Lines& lines) const {
  const isl::set all = last.domain();
  const isl::pw_multi_aff writer = isl::manage(isl_pw_multi_aff_from_map(last.copy()));
  const isl::set named = isl::manage(isl_set_set_tuple_name(all.copy(), "Element"));
  isl_map* order = isl_map_reset_tuple_id(isl_set_identity(named.copy()), isl_dim_out);
  LoopText loops;
  loops.times = isl::union_map(isl::manage(order));
  loops.type = "long";
  for (int d = 0; d < program_.arrays.at(f.array).dimensions; ++d)
    loops.names.push_back("redblue_" + std::to_string(d));
  loops.write = [&](const Reached& reached, Lines& inner) {
    std::vector<std::pair<std::string, std::string>> words;
    std::string tail;
    for (std::size_t d = 0; d < reached.coordinates.size(); ++d) {
      tail += "[" + reached.coordinates[d] + "]";
      words.emplace_back("redblue_" + std::to_string(d), in_parentheses(reached.coordinates[d]));
    }
    std::string source;
    for (const int d : f.iterators) {
      const isl::pw_aff value = isl::manage(isl_pw_multi_aff_get_pw_aff(writer.get(), d));
      source += "[" + renamed(with_words(expression(value, all), words)) + "]";
    }
    inner.add(f.array + tail + " = " + f.storage + source + tail + ";");
  };
  write_loops(loops, lines);
}

void Storage::copy_out(Lines& lines) const {
  for (const Family& f : families_) {
    if (!f.moved()) continue;
    for (const isl::map& last : f.last) copy_out(f, last, lines);
  }
  for (const Family& f : families_) {
    if (f.moved() && dimensions(f) > 0) lines.add("free(" + f.storage + ");");
  }
}

std::set<std::string> Storage::names() const {
  std::set<std::string> result(program_.parameters.begin(), program_.parameters.end());
  for (const auto& [name, array] : program_.arrays) result.insert(name);
  for (const program::Variable& v : program_.region.variables) result.insert(v.name);
  for (const Family& f : families_) result.insert(f.storage);
  return result;
}

std::string Storage::counter_type() const {
  for (const Statement& s : program_.statements) {
    for (const program::Counter& c : s.counters) {
      if (c.type != "int") return "long";
    }
  }
  return "int";
}

}  // namespace redblue::schedule::codegen
