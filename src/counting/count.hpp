// SPDX-License-Identifier: BSD-3-Clause
// Counts a program of the model: the public report from the model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "counting/model/model.hpp"
#include "redblue/counting.hpp"

namespace redblue::counting {

struct Options {
  // Conditions the user vouches for: "n >= 4", "u1 <= 100", "n = 2^k", "n % p = 0" (p divides n).
  std::vector<std::string> assumptions;
  std::map<std::string, std::int64_t> sizes;  // parameters, unknowns, p: values in the report
  bool parameters_at_least_zero = true;       // assumed, and said in the ledger where needed
};

// Throws Error for an unknown function, a loop that never ends, an assumption that cannot be read
// or names no symbol of the program.
CountReport count(const Program& program, const Options& options = {});

}  // namespace redblue::counting
