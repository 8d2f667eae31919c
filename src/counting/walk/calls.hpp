// SPDX-License-Identifier: BSD-3-Clause
// Which functions call which.
#pragma once

#include "counting/model/model.hpp"

namespace redblue::counting {

// Directly or through others.
bool calls_itself(const Program& program, const Function& function);

}  // namespace redblue::counting
