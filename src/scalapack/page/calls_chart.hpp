// SPDX-License-Identifier: BSD-3-Clause
// The calls of a program over time, as a picture.
#pragma once

#include <string>

#include "page/svg.hpp"
#include "scalapack/page/program.hpp"

namespace redblue::scalapack {

// A row for each routine, a bar for each call. `place` says how wide.
std::string calls_chart(const ProgramHistory& program, page::PagePicture place);

}  // namespace redblue::scalapack
