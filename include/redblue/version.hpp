// SPDX-License-Identifier: BSD-3-Clause
// The version of these headers. It is written here and nowhere else: CMakeLists.txt reads it, and
// shared libraries are named after it. Until 1.0 a new minor version may change what is public, so
// that libraries of one minor version go together: libredblue_linalg.so.MAJOR.MINOR.
//
// For the preprocessor, too: #if REDBLUE_VERSION_MAJOR > 0 || REDBLUE_VERSION_MINOR >= 1
#pragma once

#include <string>

#define REDBLUE_VERSION_MAJOR 0
#define REDBLUE_VERSION_MINOR 1
#define REDBLUE_VERSION_PATCH 0

namespace redblue {

// "0.1.0", of the headers that a program is compiled with.
inline std::string version() {
  return std::to_string(REDBLUE_VERSION_MAJOR) + "." + std::to_string(REDBLUE_VERSION_MINOR) + "." +
         std::to_string(REDBLUE_VERSION_PATCH);
}

}  // namespace redblue
