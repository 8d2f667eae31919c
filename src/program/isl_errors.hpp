// SPDX-License-Identifier: BSD-3-Clause
// Turns exceptions of isl into redblue's errors.
#pragma once

#include <isl/cpp.h>

#include <string>

#include "redblue/error.hpp"

namespace redblue::program {

// Runs f; throws Error about `asked` where isl gives up.
template <class F>
auto with_isl_errors_explained(const std::string& asked, F f) {
  try {
    return f();
  } catch (const isl::exception&) {
    throw Error(asked, "its conditions and subscripts are beyond what redblue can work out",
                "split the region, or leave out what / and % do in it");
  }
}

}  // namespace redblue::program
