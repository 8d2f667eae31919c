// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "bounds/bound.hpp"
#include "dataflow/dependences.hpp"
#include "program/count.hpp"
#include "redblue/error.hpp"

namespace redblue::bounds {

using dataflow::sources;

using program::Access;
using program::Program;
using program::Statement;
using symbolic::Expr;

namespace {

using Elements = std::map<std::string, isl::set>;  // array -> elements of it

void unite(Elements& elements, const std::string& array, const isl::set& more) {
  const auto known = elements.find(array);
  if (known == elements.end()) {
    elements.emplace(array, more);
  } else {
    known->second = known->second.unite(more);
  }
}

// Elements that some instance reads before any instance writes them.
Elements live_in(const Program& program) {
  Elements result;
  for (const Statement& s : program.statements) {
    for (const Access& read : s.reads) {
      if (read.conditional) continue;
      for (const program::Source& source : sources(program, s, read)) {
        if (source.statement.empty()) unite(result, read.array, source.values.range());
      }
    }
  }
  return result;
}

// All elements that instances read, but for reads on one branch of a choice.
isl::set read_of(const Program& program, const std::string& array) {
  Elements result;
  for (const Statement& s : program.statements) {
    for (const Access& read : s.reads) {
      if (read.array == array && !read.conditional)
        unite(result, array, read.elements.intersect_domain(s.domain).range().coalesce());
    }
  }
  return result.at(array).coalesce();
}

bool is_written(const Program& program, const std::string& array) {
  return std::any_of(program.statements.begin(), program.statements.end(), [&](const Statement& s) {
    return std::any_of(s.writes.begin(), s.writes.end(),
                       [&array](const Access& write) { return write.array == array; });
  });
}

Elements outputs(const Program& program) {
  Elements result;
  for (const Statement& s : program.statements) {
    for (const Access& write : s.writes) {
      const isl::set wanted =
          program::outputs(program.arrays.at(write.array), write.elements.range());
      if (!wanted.is_empty()) unite(result, write.array, wanted);
    }
  }
  return result;
}

// Nothing for sets with holes that are no stride (images of 2 h + r, r up to a parameter).
std::optional<program::Count> counted(const isl::set& set) {
  try {
    return program::count(set);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Amount> inputs(const Program& program, const Sizes& sizes) {
  Amount result;
  for (const auto& [array, set] : live_in(program)) {
    const isl::set read = read_of(program, array);
    // Of an array that is never written the two are equal, and the second has fewer pieces.
    auto count = counted(is_written(program, array) ? set : read);
    if (!count) count = counted(read);
    if (!count) return std::nullopt;
    result += sizes.amount(*count);
  }
  return result;
}

Amount stored(const Program& program, const Sizes& sizes) {
  Amount result;
  for (const auto& [array, set] : outputs(program)) {
    if (const auto count = counted(set)) result += sizes.amount(*count);
  }
  return result;
}

Bound nothing_known(const Sizes& sizes) {
  Bound bound;
  bound.method = "compulsory";
  bound.expression = bound.leading = 0;
  bound.ledger.push_back(
      {"no statement is known to run whatever the data", Condition::Status::proved});
  if (sizes.complete) bound.value = 0;
  return bound;
}

Bound compulsory(const Program& program, const Sizes& sizes) {
  Bound bound;
  bound.method = "compulsory";
  bound.ledger.push_back(
      {"every input that is read must be loaded once", Condition::Status::proved});
  bound.ledger.push_back(
      {"every output, an element written that may be read after the program, must end in slow "
       "memory",
       Condition::Status::proved});
  Amount words;
  const auto add = [&](const Elements& elements) {
    for (const auto& [array, set] : elements) {
      const auto count = counted(set);
      if (!count) {
        bound.ledger.push_back({"elements of " + array + " are left out: no formula counts them",
                                Condition::Status::proved});
        continue;
      }
      words += sizes.amount(*count);
    }
  };
  add(live_in(program));
  add(outputs(program));
  bound.expression = words.formula;
  bound.leading = sizes.leading(bound.expression);
  if (sizes.complete) bound.value = words.value;
  return bound;
}

}  // namespace redblue::bounds
