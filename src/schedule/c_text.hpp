// SPDX-License-Identifier: BSD-3-Clause
// isl's sets, functions and schedules as C text.
#pragma once

#include <isl/cpp.h>

#include <string>

#include "program/program.hpp"

namespace redblue::schedule {

// "prefix0, prefix1, ...": so many names, for isl and for C.
std::string numbered(const std::string& prefix, std::size_t count);

// A value that depends on parameters only, where they lie in `context`.
std::string in_parameters(const isl::pw_aff& value, const isl::set& context);

// A value over `where`, whose dimensions are called redblue_0, redblue_1, ...
std::string expression(const isl::pw_aff& value, const isl::set& where);

// Both with their parameters in one order: isl's syntax trees name a wrong one in remainders where
// times and what is known of the parameters disagree.
struct Aligned {
  isl::union_map times;
  isl::set known;
};
Aligned aligned(const isl::union_map& times, const isl::set& known);

// Part of a name in C.
bool in_word(char c);

// isl's macro names, out of the way of the file's own.
std::string renamed(std::string text);

}  // namespace redblue::schedule
