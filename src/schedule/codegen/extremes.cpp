// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/extremes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

namespace redblue::schedule::codegen {

namespace {

constexpr std::array<const char*, 4> functions = {"fmin", "fmax", "fminf", "fmaxf"};

bool calls(const std::string& text, const std::string& name) {
  return std::regex_search(text, std::regex("\\b" + name + "\\s*\\("));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> called_extremes(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string name : functions)
    if (calls(text, name)) words.emplace_back(name, "redblue_" + name);
  return words;
}

std::string extremes_defined(const std::string& region) {
  std::string result;
  for (const std::string name : functions) {
    const std::string ours = "redblue_" + name;
    if (!calls(region, ours)) continue;
    const std::string type = name.back() == 'f' ? "float" : "double";
    const std::string closer = name.find("min") != std::string::npos ? "<" : ">";
    // Two files of schedules may be included in one.
    std::string guard = ours;
    std::transform(guard.begin(), guard.end(), guard.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    result += "#ifndef " + guard + "\n#define " + guard + "\nstatic inline " + type + " " + ours +
              "(" + type + " x, " + type + " y) {\n  return x " + closer +
              " y || y != y ? x : y;\n}\n#endif\n";
  }
  if (result.empty()) return result;
  return "/* C's functions of these names, so that loops fill vectors. */\n" + result;
}

}  // namespace redblue::schedule::codegen
