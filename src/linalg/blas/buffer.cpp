// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/blas/buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace redblue::linalg {

namespace {

constexpr std::size_t large_page = std::size_t{1} << 21;

}  // namespace

void FreeBytes::operator()(void* memory) const {
  if (mapped > 0) {
    munmap(base, mapped);
  } else {
    std::free(memory);
  }
}

std::unique_ptr<void, FreeBytes> allocate_bytes(std::int64_t bytes) {
  const auto wanted = static_cast<std::size_t>(bytes);
  if (wanted < 2 * large_page) {
    constexpr std::size_t line = 64;
    const std::size_t rounded = (wanted + line) / line * line;
    std::unique_ptr<void, FreeBytes> memory(std::aligned_alloc(line, rounded), {});
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  // A mapping of its own: heap memory would keep its large pages for whatever comes there next.
  const std::size_t mapped = wanted + large_page;
  void* const base =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  void* aligned = base;
  std::size_t left = mapped;
  aligned = std::align(large_page, wanted, aligned, left);
#ifdef MADV_HUGEPAGE
  madvise(aligned, wanted, MADV_HUGEPAGE);  // a wish: where it is not granted, small pages do
#endif
  return {aligned, FreeBytes{base, mapped}};
}

}  // namespace redblue::linalg
