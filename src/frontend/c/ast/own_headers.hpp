// SPDX-License-Identifier: BSD-3-Clause
// Headers that are part of redblue: what loop nests use of the standard ones.
#pragma once

#include <string>
#include <vector>

namespace redblue::frontend::c {

struct OwnHeader {
  std::string name;    // "math.h"
  std::string text;    // declarations; bodies only where what they return is asked for
  bool spare = false;  // also for files, where the machine has none of that name
};

// Those a text that stands alone may include.
const std::vector<OwnHeader>& own_headers();

}  // namespace redblue::frontend::c
