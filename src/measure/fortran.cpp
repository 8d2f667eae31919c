// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>

#include "frontend/read.hpp"
#include "measure/parameters.hpp"
#include "program/isl_errors.hpp"
#include "redblue/error.hpp"
#include "redblue/measure.hpp"

namespace redblue {

namespace {

using measure_detail::Parameter;
using program::Program;

// The type of a parameter, as C has it, and whether it is an array.
struct Kind {
  std::string type;
  bool array = false;
};

Kind kind_of(const Program& program, const Parameter& p) {
  const std::string what = "a Fortran entry";
  const auto& sizes = program.parameters;
  Kind result;
  if (std::count(sizes.begin(), sizes.end(), p.name) != 0) {
    result.type = measure_detail::type_of_size(program, p.name);
  } else {
    const program::Variable& v = measure_detail::variable(program, p.name, what);
    result = {v.type, v.array};
  }
  const std::string& type = result.type;
  const bool known = type == "double" || type == "float" || type == "int" || type == "long";
  if (!known || p.row_pointers)
    throw Error(
        what + " of " + program.name,
        "its parameter '" + p.name + "' " + (known ? "has pointers to rows" : "is of type " + type),
        "Fortran passes numbers of type double, float, int and long, and arrays of them");
  return result;
}

std::string in_small_letters(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string entry(const Program& program) {
  std::string taken, passed;
  for (const Parameter& p : measure_detail::parameters_of(program)) {
    const Kind kind = kind_of(program, p);
    const std::string comma = taken.empty() ? "" : ", ";
    taken += comma + (kind.array ? "" : "const ") + kind.type + " *" + p.name;
    passed += comma + (kind.array ? "(void *)" : "*") + p.name;
  }
  const std::string name = in_small_letters(program.name);
  return "\n/* For Fortran: call " + name +
         "(..) with the same arguments. Arrays lie by rows: A[i][j] is A(j + 1, i + 1) there. */\n"
         "void " +
         name + "_(" + (taken.empty() ? "void" : taken) + ") {\n  " + program.name + "(" + passed +
         ");\n}\n";
}

}  // namespace

std::string fortran_entry(const BoundRequest& request) {
  return program::with_isl_errors_explained("a Fortran entry of " + request.file,
                                            [&] { return entry(frontend::read(request)); });
}

}  // namespace redblue
