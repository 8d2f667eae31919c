// SPDX-License-Identifier: BSD-3-Clause
#include "dataflow/copies.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <set>

#include "dataflow/dependences.hpp"
#include "program/repeated_reads.hpp"

namespace redblue::dataflow {

using program::Access;
using program::Program;
using program::Source;
using program::Statement;

namespace {

isl::map composed(const isl::map& first, const isl::map& second) {
  return isl::manage(isl_map_coalesce(isl_map_apply_range(first.copy(), second.copy())));
}

}  // namespace

Access looked_through(const Access& read, const Access& operand) {
  const isl::map& way = read.sources->front().values;
  Access result = operand;
  result.elements = composed(way, operand.elements);
  result.conditional = read.conditional || operand.conditional;
  result.where = {};
  std::vector<Source> sources;
  for (const Source& s : *operand.sources) {
    const isl::map values = composed(way, s.values);
    if (!values.is_empty()) sources.push_back({s.statement, values});
  }
  result.sources = std::make_shared<const std::vector<Source>>(std::move(sources));
  return result;
}

namespace {

bool reads_from(const Access& read, const std::string& statement) {
  return std::any_of(read.sources->begin(), read.sources->end(),
                     [&](const Source& s) { return s.statement == statement; });
}

// One operand, and readers that find its result and nothing else.
bool is_copy(const Program& program, const Statement& s) {
  if (s.reads.size() != 1 || s.reads.front().conditional || s.writes.size() != 1) return false;
  if (!program.arrays.at(s.writes.front().array).dead()) return false;
  bool read_somewhere = false;
  for (const Statement& reader : program.statements) {
    for (const Access& read : reader.reads) {
      if (!reads_from(read, s.name)) continue;
      if (&reader == &s || read.sources->size() != 1) return false;
      read_somewhere = true;
    }
  }
  return read_somewhere;
}

Program without(const Program& program, std::size_t copy) {
  const Statement removed = program.statements[copy];
  Program result = program;
  result.statements.erase(result.statements.begin() + static_cast<std::ptrdiff_t>(copy));
  for (Statement& s : result.statements) {
    for (Access& read : s.reads) {
      if (reads_from(read, removed.name)) read = looked_through(read, removed.reads.front());
    }
    s.reads = program::without_repeats(s.reads);
  }
  return result;
}

isl::map values_from(const Access& read, const std::string& statement, const isl::map& none) {
  isl::map all = none;
  for (const Source& s : *read.sources)
    if (s.statement == statement) all = all.unite(s.values);
  return all;
}

bool same_sources(const Access& a, const Access& b) {
  for (const auto* one : {&a, &b}) {
    for (const Source& s : *one->sources) {
      const isl::map none = s.values.subtract(s.values);
      if (!values_from(a, s.statement, none).is_equal(values_from(b, s.statement, none)))
        return false;
    }
  }
  return true;
}

// Whether every read finds the values it is said to find.
bool is_consistent(const Program& program) {
  Program again = program;
  derive_sources(again);
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    const auto& reads = program.statements[s].reads;
    for (std::size_t r = 0; r < reads.size(); ++r)
      if (!same_sources(reads[r], again.statements[s].reads[r])) return false;
  }
  return true;
}

Program without_copies_from(const Program& program, const std::set<std::string>& arrays) {
  Program result = program;
  for (std::size_t s = 0; s < result.statements.size();) {
    const Statement& statement = result.statements[s];
    const bool wanted =
        is_copy(result, statement) && arrays.count(statement.reads.front().array) != 0;
    if (wanted) {
      result = without(result, s);
      s = 0;  // what read it may be a copy now
    } else {
      ++s;
    }
  }
  return result;
}

}  // namespace

Program without_copies(const Program& program) {
  std::set<std::string> all, unwritten;
  for (const auto& [name, array] : program.arrays) all.insert(name);
  unwritten = all;
  for (const Statement& s : program.statements)
    for (const Access& write : s.writes) unwritten.erase(write.array);
  for (const auto& arrays : {all, unwritten}) {
    const Program result = without_copies_from(program, arrays);
    if (result.statements.size() == program.statements.size()) return program;
    if (is_consistent(result)) return result;
  }
  return program;
}

}  // namespace redblue::dataflow
