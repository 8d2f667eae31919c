// SPDX-License-Identifier: BSD-3-Clause
// Source code as HTML.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace redblue::cli {

struct Listing {
  std::string code;
  bool python = false;  // else C
  bool numbered = false;
  std::map<int, std::string> marks = {};  // line, from 1: what stands before it; the line is marked
};

// Its lines, with comments, words of the language and literals told apart; nothing in it is markup.
// Of a long numbered file only the marked lines and what is near them.
std::string listing_html(const Listing& listing);

}  // namespace redblue::cli
