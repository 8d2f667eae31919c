// SPDX-License-Identifier: BSD-3-Clause
#include "process/ahead.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace redblue::process {

namespace {

bool& is_copy() {
  static bool is = false;
  return is;
}

// Moves all bytes by read() or write(); false where there are no more.
template <class Move, class Byte>
bool all(Move move, int end, Byte* at, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t moved = move(end, at, bytes);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    at += moved;
    bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

// Ends with the process that it is a copy of, and leaves without what exit() does for that one.
[[noreturn]] void live(const Copy& copy, const std::function<void(const Copy&)>& work,
                       pid_t original) {
  is_copy() = true;
  std::signal(SIGPIPE, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != original) _exit(1);
  try {
    work(copy);
  } catch (...) {
    _exit(1);  // the original meets the same, and tells
  }
  _exit(0);
}

}  // namespace

std::size_t processors() {
  constexpr int most = 4;  // each copy takes memory of its own
  cpu_set_t usable;
  if (is_copy() || sched_getaffinity(0, sizeof usable, &usable) != 0) return 1;
  return static_cast<std::size_t>(std::min(CPU_COUNT(&usable), most));
}

Copy::Copy(const std::function<void(const Copy&)>& work) {
  std::array<int, 2> ends{};
  if (processors() < 2 || pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const pid_t original = getpid();
  process_ = fork();
  end_ = ends[process_ == 0 ? 1 : 0];
  close(ends[process_ == 0 ? 0 : 1]);
  if (process_ == 0) live(*this, work, original);
}

Copy::~Copy() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (end_ >= 0) close(end_);
}

void Copy::send(const void* from, std::size_t bytes) const {
  all(write, end_, static_cast<const char*>(from), bytes);
}

bool Copy::receive(void* to, std::size_t bytes) const {
  return process_ > 0 && all(read, end_, static_cast<char*>(to), bytes);
}

}  // namespace redblue::process
