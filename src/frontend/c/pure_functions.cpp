// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/pure_functions.hpp"

#include <set>

#include "frontend/c/containers.hpp"

namespace redblue::frontend::c {

namespace {

const std::set<std::string>& pure_functions() {
  static const std::set<std::string> names = [] {
    std::set<std::string> result = {"abs", "labs", "min", "max"};
    for (const char* stem :
         {"sqrt", "cbrt",  "exp",   "exp2",  "expm1", "log",      "log2",   "log10", "log1p",
          "pow",  "fabs",  "fmin",  "fmax",  "fma",   "sin",      "cos",    "tan",   "asin",
          "acos", "atan",  "atan2", "sinh",  "cosh",  "tanh",     "erf",    "erfc",  "floor",
          "ceil", "round", "trunc", "hypot", "fmod",  "copysign", "tgamma", "lgamma"}) {
      for (const char* suffix : {"", "f", "l"}) result.insert(std::string(stem) + suffix);
    }
    return result;
  }();
  return names;
}

}  // namespace

bool is_pure_function(const std::string& name) {
  return pure_functions().count(name) != 0;
}

bool is_operator_of_numbers(const Node& call) {
  const Node function = call.referenced();
  if (!function.in_system_header()) return false;
  const std::string name = function.name();
  const bool computes = name == "operator+" || name == "operator-" || name == "operator*" ||
                        name == "operator/" || name == "conj" || name == "norm";
  return computes && (is_number(call.type()) || name == "norm");
}

}  // namespace redblue::frontend::c
