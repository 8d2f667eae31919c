// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/final_values.hpp"

#include <algorithm>
#include <set>

#include "redblue/error.hpp"

namespace redblue::frontend {

namespace {

std::set<std::string> written_arrays(const program::Program& program) {
  std::set<std::string> result;
  for (const program::Statement& s : program.statements)
    for (const program::Access& write : s.writes) result.insert(write.array);
  return result;
}

void expect_written(const std::string& option, const std::string& name,
                    const program::Program& program) {
  const std::set<std::string> written = written_arrays(program);
  if (written.count(name) != 0) return;
  std::string known;
  for (const std::string& array : written) known += (known.empty() ? "" : ", ") + array;
  throw Error(option + " " + name,
              program.arrays.count(name) != 0 ? program.name + " never writes '" + name + "'"
                                              : program.name + " has no array '" + name + "'",
              "it writes " + known);
}

}  // namespace

program::Program with_final_values(program::Program program,
                                   const std::vector<std::string>& scratch,
                                   const std::vector<std::string>& outputs) {
  for (const std::string& name : scratch) {
    expect_written("--scratch", name, program);
    if (std::count(outputs.begin(), outputs.end(), name) != 0) {
      throw Error("--scratch " + name, "--output names '" + name + "', too",
                  "its final values are read after the program or they are not");
    }
    program::Array& array = program.arrays.at(name);
    array.read_after = program::dead_array(name, array.dimensions).read_after;
    array.read_after_text = {};
    array.why = "--scratch";
  }
  for (const std::string& name : outputs) {
    expect_written("--output", name, program);
    program::Array& array = program.arrays.at(name);
    array.read_after.reset();
    array.read_after_text = {};
    array.why = "--output";
  }
  return program;
}

}  // namespace redblue::frontend
