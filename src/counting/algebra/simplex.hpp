// SPDX-License-Identifier: BSD-3-Clause
// min c x with a x = b, x >= 0, over the rationals.
#pragma once

#include <cln/rational.h>

#include <vector>

namespace redblue::counting {

struct LinearMinimum {
  enum class State { infeasible, unbounded, optimal };
  State state = State::infeasible;
  cln::cl_RA value = 0;
  std::vector<bool> used;  // which x are not 0
};

// By the simplex method with Bland's rule.
LinearMinimum minimise(std::vector<std::vector<cln::cl_RA>> a, std::vector<cln::cl_RA> b,
                       const std::vector<cln::cl_RA>& c);

}  // namespace redblue::counting
