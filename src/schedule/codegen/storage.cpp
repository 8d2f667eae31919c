// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/storage.hpp"

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>

#include "schedule/c_text.hpp"
#include "schedule/region_text.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Statement;

namespace {

// What the program and its families name, and other words of the file: functions, macros,
// enumerators. Loop variables of the source are free: their loops are written anew.
std::set<std::string> names_of(const Program& program, const std::vector<Family>& families) {
  std::set<std::string> result(program.parameters.begin(), program.parameters.end());
  for (const auto& [name, array] : program.arrays) result.insert(name);
  for (const program::Variable& v : program.region.variables) result.insert(v.name);
  for (const Family& f : families) result.insert(f.storage);
  std::set<std::string> counters;
  for (const Statement& s : program.statements)
    for (const program::Counter& c : s.counters)
      if (result.count(c.name) == 0) counters.insert(c.name);
  const std::string& file = program.region.text;
  for (auto begin = file.begin(); begin != file.end();) {
    const auto end = std::find_if_not(begin, file.end(), in_word);
    const std::string word(begin, end);
    if (!word.empty() && counters.count(word) == 0) result.insert(word);
    begin = std::find_if(end, file.end(), in_word);
  }
  return result;
}

}  // namespace

Storage::Storage(const Program& program, const std::vector<Family>& families)
    : program_(program), families_(families), names_(names_of(program, families)) {}

std::string free_name(const std::string& base, const std::set<std::string>& used) {
  const auto taken = [&used](const std::string& name) {
    return used.count(name) != 0 || used.count(name + "_end") != 0;
  };
  std::string name = base;
  for (int n = 2; taken(name); ++n) name = base + "_" + std::to_string(n);
  return name;
}

void Storage::declare(const std::set<std::string>& in_loops, Lines& lines) const {
  std::set<std::string> counters;  // loops declare their own, so that nothing else names these
  for (const Statement& s : program_.statements)
    for (const program::Counter& c : s.counters)
      if (c.outside && counters.insert(c.name).second) lines.add("(void)" + c.name + ";");
  for (const auto& [name, array] : program_.arrays) {
    const auto has_family = [&](bool moved) {
      return std::any_of(families_.begin(), families_.end(),
                         [&](const Family& f) { return f.array == name && f.moved() == moved; });
    };
    const bool own = in_loops.contains(name);
    if (array.declaration.empty() || (own && !has_family(true))) continue;
    lines.add(array.declaration + ";");
    if (own || !has_family(false)) lines.add("(void)" + name + ";");
  }
  for (const Family& f : families_) {
    if (!f.moved()) continue;
    for (const std::string& line : declaration(program_, families_, f)) lines.add(line);
    // A scalar whose value nobody needs is set only.
    if (dimensions(program_, f) == 0) lines.add("(void)" + f.storage + ";");
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
      source += subscript(program_, f, d, renamed(with_words(expression(value, all), words)));
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
    if (f.moved() && dimensions(program_, f) > 0) lines.add("free(" + f.storage + ");");
  }
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
