// SPDX-License-Identifier: BSD-3-Clause
// The C sources of kernels/, for tests that run over all of them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace redblue::test {

// "gemm", "jacobi-2d", ..., sorted.
inline std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(REDBLUE_SOURCE_DIR "/kernels")) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// GoogleTest takes letters, digits and _ only.
inline std::string as_test_name(std::string kernel) {
  std::replace(kernel.begin(), kernel.end(), '-', '_');
  return kernel;
}

}  // namespace redblue::test
