// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/python/frontend.hpp"

#include <nlohmann/json.hpp>

#include <vector>

#include "frontend/c/frontend.hpp"
#include "frontend/python/translate.hpp"
#include "process/process.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::python {

Translation translated(const std::string& path, const std::string& function,
                       const std::string& text) {
  std::vector<std::string> command = {"python3",        "-I", "-W",    "ignore", "-c",
                                      translate_script, path, function};
  // A program's argument has at most 128 kB.
  constexpr std::size_t piece = 100'000;
  for (std::size_t at = 0; at < text.size(); at += piece) command.push_back(text.substr(at, piece));
  const process::Finished python = process::run(command);
  const auto json = nlohmann::json::parse(python.output, nullptr, false);
  if (python.status != 0 || json.is_discarded()) {
    throw Error(path, "python3 did not read it", "install the package python3");
  }
  if (json.contains("reason")) {
    const int line = json.at("line");
    throw Error(line > 0 ? path + ":" + std::to_string(line) : path, json.at("reason"),
                json.at("remedy"));
  }
  return {json.at("c"), json.at("function"), json.at("extents")};
}

program::Program parse(const std::string& path, const std::string& function) {
  const Translation translation = translated(path, function);
  return c::parse_text(path, translation.c, translation.function);
}

}  // namespace redblue::frontend::python
