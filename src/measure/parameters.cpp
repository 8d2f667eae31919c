// SPDX-License-Identifier: BSD-3-Clause
#include "measure/parameters.hpp"

#include <regex>

#include "redblue/error.hpp"

namespace redblue::measure_detail {

using program::Program;
using program::Variable;

namespace {

bool has_row_pointers(const std::string& declared) {
  static const std::regex pointers("\\*[\\w\\s]*\\*|\\*[\\w\\s]*\\[");
  return std::regex_search(declared, pointers);
}

}  // namespace

std::vector<Parameter> parameters_of(const Program& program) {
  const std::string before = program.region.text.substr(0, program.region.where.begin);
  std::size_t at = std::string::npos;
  const std::regex head("\\b" + program.name + "\\s*\\(");
  for (std::sregex_iterator m(before.begin(), before.end(), head), end; m != end; ++m)
    at = static_cast<std::size_t>(m->position() + m->length());
  std::vector<Parameter> result;
  std::string part;
  int depth = 0;
  for (; at < before.size() && depth >= 0; ++at) {
    const char c = before[at];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if ((c == ',' && depth == 0) || depth < 0) {
      std::smatch name;
      const std::string bare = std::regex_replace(part, std::regex("\\[[^\\]]*\\]"), " ");
      if (std::regex_search(bare, name, std::regex("(\\w+)[\\s)]*$")) && name[1] != "void")
        result.push_back({name[1], has_row_pointers(part)});
      part.clear();
    } else {
      part += c;
    }
  }
  return result;
}

std::string type_of_size(const Program& program, const std::string& name) {
  for (const Variable& v : program.region.variables) {
    if (v.name == name) return v.type;
  }
  return "int";
}

const Variable& variable(const Program& program, const std::string& name, const std::string& what) {
  for (const Variable& v : program.region.variables) {
    if (v.name == name && !v.inside) return v;
  }
  throw Error(what + " of " + program.name, "nothing says what its parameter '" + name + "' is",
              "give a function whose parameters are numbers and arrays that it uses");
}

}  // namespace redblue::measure_detail
