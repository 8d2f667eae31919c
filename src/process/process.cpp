// SPDX-License-Identifier: BSD-3-Clause
#include "process/process.hpp"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

extern char** environ;

namespace redblue::process {

Finished run(std::vector<std::string> command, bool with_errors, unsigned seconds) {
  Finished finished;
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return finished;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (with_errors) posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  finished.started =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const rlimit limit{seconds, seconds};
  if (finished.started && seconds > 0) prlimit(child, RLIMIT_CPU, &limit, nullptr);
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; finished.started && (n = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    finished.output.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  rusage used{};
  if (finished.started && wait4(child, &status, 0, &used) == child) {
    const auto taken = static_cast<unsigned>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
    finished.late = seconds > 0 && taken >= seconds;
    finished.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return finished;
}

}  // namespace redblue::process
