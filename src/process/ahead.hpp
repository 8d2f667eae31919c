// SPDX-License-Identifier: BSD-3-Clause
// Work that other processors do ahead of this process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace redblue::process {

// Processors that this process may use, counted up to 4; 1 in a copy of a process.
std::size_t processors();

// A copy of this process, as it is now, that works and then ends: what it changes is its own, what
// it sends comes here. There is none where another processor, a descriptor or the memory is
// missing; and it may end early, at any moment: it must not start other programs.
class Copy {
 public:
  // In the copy: work(*this).
  explicit Copy(const std::function<void(const Copy&)>& work);
  ~Copy();  // ends it
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  void send(const void* from, std::size_t bytes) const;  // in the copy
  bool receive(void* to, std::size_t bytes) const;       // waits; false: it has ended

 private:
  pid_t process_ = -1;
  int end_ = -1;  // of a pipe
};

// A copy that sends results. Where nothing is left to take, whoever asks does the work himself.
template <class Result>
class Ahead {
  static_assert(std::is_trivially_copyable_v<Result>);

 public:
  using Send = std::function<void(const Result&)>;

  explicit Ahead(const std::function<void(const Send&)>& work)
      : copy_([&work](const Copy& copy) {
          work([&copy](const Result& result) { copy.send(&result, sizeof result); });
        }) {}

  // The next result, in the order of sending.
  std::optional<Result> take() {
    std::optional<Result> result(std::in_place);
    if (!copy_.receive(&*result, sizeof(Result))) result.reset();
    return result;
  }

 private:
  Copy copy_;
};

}  // namespace redblue::process
