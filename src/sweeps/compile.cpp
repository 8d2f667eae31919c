// SPDX-License-Identifier: BSD-3-Clause
// The C compiler, run on a stencil program's functions.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "process/compiler.hpp"
#include "process/folder.hpp"
#include "redblue/stencil_source.hpp"

namespace redblue {

std::string compiled(const StencilSource& source, const std::vector<std::string>& flags) {
  const process::Folder folder;
  const std::string text = folder.file("sweeps.c"), library = folder.file("sweeps.so");
  std::ofstream(text) << source.code;
  std::vector<std::string> arguments = {"-O3", "-march=native", "-ffp-contract=off", "-w"};
  arguments.push_back(
      "-I" + std::filesystem::absolute(source.file).parent_path().string());  // #include "x.h"
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  for (const char* word : {"-shared", "-fPIC", "-Wl,-Bsymbolic"}) arguments.emplace_back(word);
  arguments.insert(arguments.end(), {text, "-o", library, "-lm"});
  process::compile(arguments);
  std::ifstream in(library, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace redblue
