// SPDX-License-Identifier: BSD-3-Clause
// The page of a program that ran with this library in front of its ScaLAPACK: REDBLUE_REPORT=html.
#pragma once

#include <string>

#include "scalapack/page/program.hpp"

namespace redblue::scalapack {

std::string served_page(const ProgramHistory& program);

}  // namespace redblue::scalapack
