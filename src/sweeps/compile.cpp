// SPDX-License-Identifier: BSD-3-Clause
// The C compiler, run on a stencil program's functions.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "process/process.hpp"
#include "redblue/error.hpp"
#include "redblue/stencil_source.hpp"
#include "sweeps/folder.hpp"

namespace redblue {

namespace {

// The line that says what is wrong.
std::string first_error(const std::string& output) {
  const std::size_t error = output.find("error");
  if (error == std::string::npos) return output.substr(0, output.find('\n'));
  const std::size_t begin = output.rfind('\n', error) + 1;
  return output.substr(begin, output.find('\n', error) - begin);
}

}  // namespace

std::string compiled(const StencilSource& source, const std::vector<std::string>& flags) {
  const sweeps::Folder folder;
  const std::string text = folder.file("sweeps.c"), library = folder.file("sweeps.so");
  std::ofstream(text) << source.code;
  const char* chosen = std::getenv("CC");
  const std::string compiler = chosen == nullptr || *chosen == '\0' ? "cc" : chosen;
  std::vector<std::string> command = {compiler, "-O3", "-march=native", "-ffp-contract=off", "-w"};
  command.push_back(
      "-I" + std::filesystem::absolute(source.file).parent_path().string());  // #include "x.h"
  command.insert(command.end(), flags.begin(), flags.end());
  for (const char* word : {"-shared", "-fPIC", "-Wl,-Bsymbolic"}) command.emplace_back(word);
  command.insert(command.end(), {text, "-o", library, "-lm"});
  const process::Finished done = process::run(command, true);
  if (!done.started) {
    throw Error("the C compiler", "'" + compiler + "' cannot be started",
                "let the environment's CC name one");
  }
  if (done.status != 0) {
    throw Error("the C compiler", first_error(done.output), "give its flags after --");
  }
  std::ifstream in(library, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace redblue
