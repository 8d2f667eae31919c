// SPDX-License-Identifier: BSD-3-Clause
// A pasted source to the parts of its page.
#pragma once

#include <string>

#include "redblue/error.hpp"

namespace redblue::cli {

constexpr std::size_t most_request = 256U << 10U;  // bytes

// Why a request cannot be one; empty where it can. JSON: {"language": "c", "c++", "python" or
// "einsum", "source": text, "set": "N=40,S=256", "function": name}; the last two may be left out.
std::string wrong_with(const std::string& request);

// Reads a request from standard input, limits this process (cli/serve/confined.hpp), and prints a
// line of JSON for each part as soon as it is known:
//   {"part": "sizes", "set": .., "S": .., "parameters": [..]}      with sizes for those not given
//   {"part": "bound", "words": .., "method": .., "leading": .., "title": .., "lead": HTML,
//    "figures": HTML, "sections": [{"id": .., "heading": .., "html": HTML}]}
//   {"part": "curve", "sections": [..]}
//   {"part": "schedule", "words": .., "ratio": .., "lead", "figures", "sections"}, and once more
//    where a longer search finds a better one
//   {"part": "done"}
// or, at any place, {"error": one line}. Exit status 0, or 2 after an error.
int analyse_here(int seconds);

// {"error": what} as a line.
std::string error_line(const std::string& what);

}  // namespace redblue::cli
