// SPDX-License-Identifier: BSD-3-Clause
// What a program may read before it writes it.
#pragma once

#include <map>
#include <string>

#include "program/program.hpp"

namespace redblue::program {

// Elements by array, those read on one branch of a data-dependent choice included.
std::map<std::string, isl::set> live_in(const Program& program);

}  // namespace redblue::program
