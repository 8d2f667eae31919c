// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/serving/workspace.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "linalg/blas/buffer.hpp"
#include "scalapack/serving/settings.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

struct Workspace {
  Buffer<char> memory;
  std::int64_t most_asked = 0;
};

Workspace& workspace_of_process() {
  static Workspace instance;
  return instance;
}

std::int64_t bytes_kept() {
  constexpr std::int64_t without_knowledge = std::int64_t{1} << 28;
  constexpr std::int64_t of_free = 16;
  static const std::int64_t bytes = [] {
    const std::optional<MemoryLimit>& limit = settings().memory;
    if (limit && limit->bytes) return *limit->bytes;
    const std::optional<std::int64_t> free = free_bytes();
    return free ? *free / of_free : without_knowledge;
  }();
  return bytes;
}

}  // namespace

double least_work(double otherwise) {
  return settings().least_work.value_or(otherwise);
}

void* workspace_bytes(std::int64_t bytes) {
  Workspace& workspace = workspace_of_process();
  workspace.most_asked = std::max(workspace.most_asked, bytes);
  if (bytes > workspace.memory.size()) workspace.memory.resize(bytes);
  return workspace.memory.data();
}

std::int64_t workspace_held() {
  return workspace_of_process().memory.size();
}

std::int64_t finish_with_workspace() {
  Workspace& workspace = workspace_of_process();
  if (workspace.memory.size() > bytes_kept()) workspace.memory.resize(0);
  return std::exchange(workspace.most_asked, 0);
}

}  // namespace redblue::scalapack
