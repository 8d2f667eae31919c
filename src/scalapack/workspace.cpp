// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/workspace.hpp"

#include <cstdlib>

#include "linalg/blas/buffer.hpp"

namespace redblue::scalapack {

using namespace linalg;

double least_work(double otherwise) {
  static const char* const text = std::getenv("REDBLUE_MIN_WORK");
  return text == nullptr ? otherwise : std::atof(text);
}

void* workspace_bytes(std::int64_t bytes) {
  static Buffer<char> memory;
  if (bytes > memory.size()) memory.resize(bytes);
  return memory.data();
}

}  // namespace redblue::scalapack
