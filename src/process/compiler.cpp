// SPDX-License-Identifier: BSD-3-Clause
#include "process/compiler.hpp"

#include <cstdlib>

#include "process/process.hpp"
#include "redblue/error.hpp"

namespace redblue::process {

namespace {

// The line that says what is wrong.
std::string first_error(const std::string& output) {
  const std::size_t error = output.find("error");
  if (error == std::string::npos) return output.substr(0, output.find('\n'));
  const std::size_t begin = output.rfind('\n', error) + 1;
  return output.substr(begin, output.find('\n', error) - begin);
}

}  // namespace

std::string c_compiler() {
  const char* chosen = std::getenv("CC");
  return chosen == nullptr || *chosen == '\0' ? "cc" : chosen;
}

void compile(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {c_compiler()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Finished done = run(command, true);
  if (!done.started) {
    throw Error("the C compiler", "'" + command.front() + "' cannot be started",
                "let the environment's CC name one");
  }
  if (done.status != 0) {
    throw Error("the C compiler", first_error(done.output), "give its flags after --");
  }
}

}  // namespace redblue::process
