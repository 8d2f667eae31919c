// SPDX-License-Identifier: BSD-3-Clause
// The one exception type of redblue.
#pragma once

#include <stdexcept>
#include <string>

namespace redblue {

// Bad input, said in one line: what was asked, what was found and what would work.
// The command-line tool prints what() and exits 2.
class Error : public std::runtime_error {
 public:
  // All three are phrases without a full stop; `remedy` may be empty where none is known.
  Error(const std::string& asked, const std::string& found, const std::string& remedy = {})
      : std::runtime_error(asked + ": " + found + (remedy.empty() ? "" : "; " + remedy)) {}
};

}  // namespace redblue
