// SPDX-License-Identifier: BSD-3-Clause
#include "cli/serve/child.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace redblue::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = 8U << 20U;  // bytes

// A pipe end that closes itself.
class End {
 public:
  explicit End(int descriptor) : descriptor_(descriptor) {}
  ~End() { close(); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
    from.emplace(ends[0]);
    to.emplace(ends[1]);
  }
  bool made() const { return from->get() >= 0; }
  std::optional<End> from, to;
};

// Nothing of this process but where libraries are found.
std::vector<std::string> environment() {
  std::vector<std::string> result = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH"))
    result.push_back("LD_LIBRARY_PATH=" + std::string(libraries));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// The process, first of a group of its own; 0 where it cannot be started.
pid_t start(const Pipe& request, const Pipe& answer) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, request.from->get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answer.to->get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::error_code unknown;
  std::vector<std::string> command = {
      std::filesystem::read_symlink("/proc/self/exe", unknown).string(), "serve", "--analyse"};
  std::vector<std::string> variables = environment();
  pid_t child = 0;
  if (posix_spawn(&child, command[0].c_str(), &actions, &attributes, pointers(command).data(),
                  pointers(variables).data()) != 0)
    child = 0;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return child;
}

// Waits for the process, and leaves nothing of its group.
std::string how_it_ended(pid_t child, Clock::time_point until) {
  siginfo_t unused{};
  const auto ended = [&] {
    return waitid(P_PID, static_cast<id_t>(child), &unused, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           unused.si_pid != 0;
  };
  while (!ended() && Clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(-child, SIGKILL);  // while the first of the group is not waited for, nobody else has its id
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) return "";
  switch (WTERMSIG(status)) {
    case SIGXCPU:
    case SIGKILL:
      return "it took more time than there is here";
    case SIGSEGV:
      return "it is nested too deeply";
    case SIGABRT:
      return "it took more memory than there is here";
    default:
      return fmt::format("it was ended by signal {}", WTERMSIG(status));
  }
}

// Both ends of the conversation, until it ends or is ended.
class Conversation {
 public:
  Conversation(const std::string& request, Pipe& to, Pipe& from, Clock::time_point until)
      : request_(request), to_(*to.to), from_(*from.from), until_(until) {
    fcntl(to_.get(), F_SETFL, O_NONBLOCK);
    fcntl(from_.get(), F_SETFL, O_NONBLOCK);
  }

  // Why it was ended from here; empty where the process closed its end.
  std::string run(const std::function<bool(const std::string&)>& line,
                  const std::function<bool()>& wanted) {
    for (;;) {
      if (Clock::now() >= until_) return "it took more time than there is here";
      if (!wanted()) return "nobody waits for it any more";
      send();
      std::array<pollfd, 2> ends = {{{from_.get(), POLLIN, 0}, {to_.get(), POLLOUT, 0}}};
      constexpr int often = 50;  // milliseconds
      poll(ends.data(), to_.get() >= 0 ? 2 : 1, often);
      if (ends[0].revents == 0) continue;
      std::array<char, 65536> buffer{};
      const ssize_t count = read(from_.get(), buffer.data(), buffer.size());
      if (count == 0) return "";
      if (count < 0) continue;
      received_ += static_cast<std::size_t>(count);
      if (received_ > most_output) return "its answer is larger than a page";
      text_.append(buffer.data(), static_cast<std::size_t>(count));
      if (!hand_on(line)) return "nobody waits for it any more";
    }
  }

 private:
  void send() {
    while (to_.get() >= 0) {
      const ssize_t count = write(to_.get(), request_.data() + sent_, request_.size() - sent_);
      if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
      sent_ += count > 0 ? static_cast<std::size_t>(count) : 0;
      if (count < 0 || sent_ == request_.size()) to_.close();
    }
  }

  bool hand_on(const std::function<bool(const std::string&)>& line) {
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
      if (!line(text_.substr(begin, end - begin))) return false;
    text_.erase(0, begin);
    return true;
  }

  const std::string& request_;
  End &to_, &from_;
  Clock::time_point until_;
  std::string text_;  // of a line that has not ended
  std::size_t sent_ = 0, received_ = 0;
};

}  // namespace

std::string analyse_apart(const std::string& request, double seconds,
                          const std::function<bool(const std::string&)>& line,
                          const std::function<bool()>& wanted) {
  Pipe to, from;
  if (!to.made() || !from.made()) return "the system has no room for it";
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
  const pid_t child = start(to, from);
  if (child == 0) return "the system starts no process";
  to.from->close();
  from.to->close();
  const std::string ended = Conversation(request, to, from, until).run(line, wanted);
  const std::string how = how_it_ended(child, ended.empty() ? until : Clock::now());
  return ended.empty() ? how : ended;
}

}  // namespace redblue::cli
