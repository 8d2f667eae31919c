// SPDX-License-Identifier: BSD-3-Clause
#include "comm/window.hpp"

#include <utility>

#include "comm/phases.hpp"

namespace redblue::comm {

namespace {

MPI_Group group_of(MPI_Comm communicator, const std::vector<int>& ranks) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm_group(communicator, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  MPI_Group_free(&all);
  return some;
}

// MPICH 4.0 finds other ranks' parts of a window only where they have whole lines.
std::int64_t whole_lines(std::int64_t bytes) {
  constexpr std::int64_t line = 64;
  return (bytes + line - 1) / line * line;
}

}  // namespace

Window::Window(const Communicator& communicator, std::int64_t bytes,
               const std::vector<int>& readers, const std::vector<int>& sources)
    : readers_(group_of(communicator.handle(), readers)),
      sources_(group_of(communicator.handle(), sources)) {
  MPI_Win_allocate(static_cast<MPI_Aint>(whole_lines(bytes)), 1, MPI_INFO_NULL,
                   communicator.handle(), &memory_, &window_);
}

Window::~Window() {
  if (window_ == MPI_WIN_NULL || finalized()) return;
  MPI_Win_free(&window_);
  for (MPI_Group* group : {&readers_, &sources_}) {
    if (*group != MPI_GROUP_EMPTY) MPI_Group_free(group);
  }
}

Window::Window(Window&& other) noexcept
    : window_(std::exchange(other.window_, MPI_WIN_NULL)),
      readers_(other.readers_),
      sources_(other.sources_),
      memory_(other.memory_) {}

Window& Window::operator=(Window&& other) noexcept {
  std::swap(window_, other.window_);
  std::swap(readers_, other.readers_);
  std::swap(sources_, other.sources_);
  std::swap(memory_, other.memory_);
  return *this;
}

void Window::open() {
  const InPhase waits(Phase::wait);
  MPI_Win_post(readers_, 0, window_);
  MPI_Win_start(sources_, 0, window_);
}

void Window::get(void* buffer, const Message& message, std::int64_t offset, Traffic& count) {
  message.get_into(buffer, offset, window_);
  count.words_received += message.words();
  count.messages_received += Messages(1);
}

void Window::complete() {
  const InPhase waits(Phase::wait);
  MPI_Win_complete(window_);
}

void Window::close() {
  const InPhase waits(Phase::wait);
  MPI_Win_wait(window_);
}

Exposure::Exposure(const Communicator& communicator, const void* memory, std::int64_t bytes) {
  const InPhase waits(Phase::wait);
  // MPI takes windows for writable; nobody writes here.
  MPI_Win_create(const_cast<void*>(memory), static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL,
                 communicator.handle(), &window_);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
}

Exposure::~Exposure() {
  const InPhase waits(Phase::wait);
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void Exposure::get(void* buffer, const Message& message, const Message& there, Traffic& count) {
  message.get_into(buffer, there, window_);
  count.words_received += message.words();
  count.messages_received += Messages(1);
}

void Exposure::complete(Rank source) {
  const InPhase waits(Phase::wait);
  MPI_Win_flush_local(source.value, window_);
}

}  // namespace redblue::comm
