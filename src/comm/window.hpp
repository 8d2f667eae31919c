// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: memory that others read (MPI windows).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"

namespace redblue::comm {

// Memory of its own, filled anew for every reading (post-start-complete-wait).
class Window {
 public:
  // `bytes` of memory that `readers` will read; this rank reads from `sources`. Collective.
  Window(const Communicator& communicator, std::int64_t bytes, const std::vector<int>& readers,
         const std::vector<int>& sources);
  ~Window();
  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;

  void* memory() const { return memory_; }

  // The memory is filled: readers may read it, and this rank may read others'.
  void open();
  // Starts to read a message that is `offset` elements into the source's memory; counted as
  // received.
  void get(void* buffer, const Message& message, std::int64_t offset, Traffic& count);
  void complete();  // everything got has arrived
  void close();     // everybody has read this rank's memory

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  MPI_Group readers_ = MPI_GROUP_NULL;
  MPI_Group sources_ = MPI_GROUP_NULL;
  void* memory_ = nullptr;
};

// Memory of the caller's that others read where it is, at any time (passive targets).
class Exposure {
 public:
  // All ranks may read these `bytes` until all have destroyed theirs. Both collective.
  Exposure(const Communicator& communicator, const void* memory, std::int64_t bytes);
  ~Exposure();
  Exposure(const Exposure&) = delete;
  Exposure& operator=(const Exposure&) = delete;

  // Starts to read the runs of `there` in its peer's memory into the runs of `message` in `buffer`;
  // counted as received.
  void get(void* buffer, const Message& message, const Message& there, Traffic& count);
  void complete(Rank source);  // everything got from there has arrived

 private:
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace redblue::comm
