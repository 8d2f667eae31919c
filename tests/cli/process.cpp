// SPDX-License-Identifier: BSD-3-Clause
#include "cli/process.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace redblue::test {

namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string temporary_directory() {
  std::string pattern = "/tmp/redblue_test_XXXXXX";
  return mkdtemp(pattern.data());
}

Finished shell(const std::string& command) {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe", "OPENBLAS_NUM_THREADS"}) {
    setenv(name, "1", 1);
  }
  const std::string directory = temporary_directory();
  const std::string line = "timeout 120 sh -c '" + command + "' >" + directory + "/out 2>" +
                           directory + "/err </dev/null";
  const int raw = std::system(line.c_str());
  Finished result{WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw),
                  contents(directory + "/out"), contents(directory + "/err")};
  std::filesystem::remove_all(directory);
  return result;
}

Finished redblue(const std::string& arguments) {
  return shell(REDBLUE_COMMAND " " + arguments);
}

Finished mpirun(int ranks, const std::string& arguments, const std::string& options) {
  return shell(MPIRUN_COMMAND " -n " + std::to_string(ranks) + " " + options +
               " " REDBLUE_COMMAND " " + arguments);
}

}  // namespace redblue::test
