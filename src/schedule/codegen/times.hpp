// SPDX-License-Identifier: BSD-3-Clause
// Times of different lengths. isl compares times of one length only: others are never "not after".
#pragma once

#include <isl/cpp.h>

namespace redblue::schedule::codegen {

// The most dimensions that a time has.
int longest(const isl::union_map& times);

// All times with that many dimensions, zeros at the end.
isl::union_map padded(const isl::union_map& times, int length);

}  // namespace redblue::schedule::codegen
