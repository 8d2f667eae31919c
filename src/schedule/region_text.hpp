// SPDX-License-Identifier: BSD-3-Clause
// What every C text of a schedule shares: the file around the region, names of accesses, storage of
// families.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/privatise.hpp"

namespace redblue::schedule {

// The file with its region replaced, below the macros that isl's expressions use and `more`. Throws
// Error for programs that were not read from one region of a C file.
std::string with_region(const program::Program& program, const std::string& more,
                        const std::string& region);

// Throws the Error of with_region.
void require_one_region(const program::Program& program);

// Without comments and line breaks.
std::string on_one_line(const std::string& source);

// The family that has moved and holds what a statement's read, or its write, accesses; else null.
const Family* moved_family(const std::vector<Family>& families, std::size_t statement,
                           std::optional<std::size_t> read);

// The characters of an access's array name, in the statement's source. Throws Error where it does
// not begin with one.
program::Span array_name(const program::Program& program, const program::Statement& statement,
                         const program::Access& access, const program::Span& where);

// Subscripts of a moved family's storage: its iterators, then those of the array.
int dimensions(const program::Program& program, const Family& family);

// "[i]", one of a moved family's leading subscripts where its iterator at this position has the
// value: counted from the iterator's first value where that may be negative.
std::string subscript(const program::Program& program, const Family& family, int position,
                      const std::string& value);

// C that declares a moved family's storage, a line each; it is on the heap, to be freed, where it
// has dimensions.
std::vector<std::string> declaration(const program::Program& program,
                                     const std::vector<Family>& families, const Family& family);

}  // namespace redblue::schedule
