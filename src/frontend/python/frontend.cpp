#include "frontend/python/frontend.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "frontend/c/frontend.hpp"
#include "frontend/python/translate.hpp"
#include "redblue/error.hpp"

extern char** environ;

namespace redblue::frontend::python {

namespace {

// What a program prints; nothing where it cannot be run or fails.
std::string output_of(std::vector<std::string> command) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; failed == 0 && (n = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child || status != 0) return {};
  return text;
}

}  // namespace

program::Program parse(const std::string& path, const std::string& function) {
  const std::string answer = output_of({"python3", "-I", "-c", translate_script, path, function});
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  if (json.is_discarded()) {
    throw Error(path, "python3 did not read it", "install the package python3");
  }
  if (json.contains("reason")) {
    const int line = json.at("line");
    throw Error(line > 0 ? path + ":" + std::to_string(line) : path, json.at("reason"),
                json.at("remedy"));
  }
  return c::parse_text(path, json.at("c"), json.at("function"));
}

}  // namespace redblue::frontend::python
