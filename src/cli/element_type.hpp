// SPDX-License-Identifier: BSD-3-Clause
// --type of the commands that run a kernel.
#pragma once

#include <CLI/CLI.hpp>

#include <complex>
#include <string>

namespace redblue::cli {

inline void add_type(CLI::App& command, std::string& type) {
  command.add_option("--type", type, "Elements: s, d, c or z, as in BLAS")
      ->check(CLI::IsMember({"s", "d", "c", "z"}))
      ->capture_default_str();
}

// f(T()) for the element type of that letter.
template <class F>
auto with_type(const std::string& type, F f) {
  if (type == "s") return f(float());
  if (type == "c") return f(std::complex<float>());
  if (type == "z") return f(std::complex<double>());
  return f(double());
}

}  // namespace redblue::cli
