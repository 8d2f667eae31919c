// SPDX-License-Identifier: BSD-3-Clause
// The C compiler of the machine.
#pragma once

#include <string>
#include <vector>

namespace redblue::process {

// The environment's CC, else cc.
std::string c_compiler();

// Runs it with these arguments. Throws Error with its first complaint, or where it cannot be
// started.
void compile(const std::vector<std::string>& arguments);

}  // namespace redblue::process
