// SPDX-License-Identifier: BSD-3-Clause
// Loops that threads share.
#pragma once

#include "schedule/choice/choice.hpp"

namespace redblue::schedule::codegen {

// Gives threads loops to share. The order of the instances stays legal.
void share_loops(Chosen& chosen);

}  // namespace redblue::schedule::codegen
