// SPDX-License-Identifier: BSD-3-Clause
// docs/algorithms/qr.md has the proof.
#include <algorithm>

#include "decomposition/request.hpp"
#include "redblue/error.hpp"
#include "redblue/qr_model.hpp"

namespace redblue {

double qr_lower_bound(std::int64_t m, std::int64_t n, int ranks) {
  if (m < 0 || n < 0) {
    throw Error("qr of " + std::to_string(m) + " x " + std::to_string(n), "a negative size",
                "use 0 or more");
  }
  check_ranks("qr", ranks);
  return 0;
}

}  // namespace redblue
