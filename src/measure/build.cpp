// SPDX-License-Identifier: BSD-3-Clause
#include "measure/build.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "process/blas.hpp"
#include "process/compiler.hpp"
#include "process/process.hpp"
#include "redblue/error.hpp"

namespace redblue::measure_detail {

using program::Program;
using program::Sizes;

// Sums of some thousand terms in any order stay far below, a term that is missing does not.
double tolerance_of(const Program& program) {
  constexpr double of_double = 1e-10, of_float = 1e-4;
  const auto& all = program.region.variables;
  return std::any_of(all.begin(), all.end(), [](const auto& v) { return v.type == "float"; })
             ? of_float
             : of_double;
}

Build::Build(const MeasureRequest& request, const Program& program, const Sizes& sizes,
             Sharing sharing, bool calls)
    : request_(request), name_(program.name) {
  if (calls) blas_ = process::blas_flags("measuring " + name_ + " --blas");
  write("driver.c",
        driver(program, sizes, request.code.processor.threads, sharing,
               calls || request.code.processor.reassociate ? std::optional(tolerance_of(program))
                                                           : std::nullopt));
  compile("driver", {});
}

bool says_same(const std::string& output) {
  return output == "same\n" || output.starts_with("same ");
}

std::vector<std::string> flags_of(const MeasureRequest& request) {
  std::vector<std::string> result = {"-O3", "-march=native"};
  if (request.code.processor.threads > 1) result.emplace_back("-fopenmp");
  const auto& more = request.code.program.flags;
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

std::string Build::output(const std::string& original, const std::string& scheduled,
                          const std::vector<std::string>& more, int repetitions,
                          double most_seconds) {
  for (const auto& [part, text] :
       {std::pair<std::string, const std::string&>("original", original),
        std::pair<std::string, const std::string&>("scheduled", scheduled)}) {
    std::vector<std::string> named = more;
    named.push_back("-D" + name_ + "=" + part);
    auto& known = compiled_[part];
    if (known == std::pair(text, named)) continue;
    known = {};
    write(part + ".c", text);
    compile(part, named);
    known = {text, named};
  }
  std::vector<std::string> objects = {folder_.file("driver.o"),
                                      folder_.file("original.o"),
                                      folder_.file("scheduled.o"),
                                      "-lm",
                                      "-o",
                                      folder_.file("both"),
                                      threads() > 1 ? "-fopenmp" : "-lm"};
  objects.insert(objects.end(), blas_.begin(), blas_.end());
  process::compile(objects);
  std::vector<std::string> command = {folder_.file("both"), std::to_string(repetitions)};
  if (most_seconds > 0) command.push_back(std::to_string(std::lround(std::ceil(most_seconds))));
  const process::Finished done = process::run(command, true);
  if (done.status != 0) {
    throw Error("a run of " + name_,
                done.status == 3 ? "its arrays do not fit into memory twice"
                                 : "it ended with status " + std::to_string(done.status),
                "give smaller sizes");
  }
  return done.output;
}

// The driver prints a line for each repetition.
std::vector<std::vector<double>> Build::seconds(const std::string& original,
                                                const std::string& scheduled,
                                                const std::vector<std::string>& more,
                                                int repetitions, double most_seconds) {
  std::vector<std::vector<double>> result;
  std::istringstream lines(output(original, scheduled, more, repetitions, most_seconds));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream values(line);
    std::size_t call = 0;
    for (double value = 0; values >> value; ++call) {
      if (result.size() <= call) result.emplace_back();
      result[call].push_back(value);
    }
  }
  return result;
}

void Build::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_.file(name)) << text;
}

void Build::compile(const std::string& part, const std::vector<std::string>& more) const {
  std::vector<std::string> arguments = flags_of(request_);
  arguments.insert(arguments.end(), more.begin(), more.end());
  const std::string source = request_.code.program.file;
  arguments.push_back("-I" + std::filesystem::absolute(source).parent_path().string());
  arguments.insert(arguments.end(), {"-std=gnu11", "-w", "-c", folder_.file(part + ".c"), "-o",
                                     folder_.file(part + ".o")});
  process::compile(arguments);
}

}  // namespace redblue::measure_detail
