// SPDX-License-Identifier: BSD-3-Clause
// Memory for the parts of matrices a plan works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace redblue::linalg {

// At least so many bytes, aligned for any element, contents undefined. Large ones ask the system
// for large pages, which matrix columns far apart need fewer of. Throws std::bad_alloc.
struct FreeBytes {
  void* base = nullptr;  // of a mapping of its own
  std::size_t mapped = 0;

  void operator()(void* memory) const;
};
std::unique_ptr<void, FreeBytes> allocate_bytes(std::int64_t bytes);

// Words of T whose contents are undefined until they are written.
template <class T>
class Buffer {
 public:
  // The contents are lost. Throws std::bad_alloc.
  void resize(std::int64_t words) {
    memory_.reset();
    size_ = 0;
    memory_ = allocate_bytes(words * static_cast<std::int64_t>(sizeof(T)));
    size_ = words;
  }
  T* data() { return static_cast<T*>(memory_.get()); }
  std::int64_t size() const { return size_; }

 private:
  std::unique_ptr<void, FreeBytes> memory_;
  std::int64_t size_ = 0;
};

}  // namespace redblue::linalg
