// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/emitted.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <vector>

namespace redblue::test {

namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Parameter {
  std::string name;
  std::string extent;  // of an array: "(N)*(M)"; empty for a scalar
  bool integer = false;
};

struct Prototype {
  std::string name;
  std::vector<Parameter> parameters;
};

Prototype prototype_of(const std::string& text) {
  std::smatch head;
  std::regex_search(text, head, std::regex("void (\\w+)\\(([^)]*)\\) \\{"));
  Prototype result{head[1], {}};
  const std::string list = head[2];
  static const std::regex part("(int|double) (\\w+)((?:\\[[^\\]]*\\])*)");
  for (std::sregex_iterator p(list.begin(), list.end(), part), end; p != end; ++p) {
    const std::string extent = (*p)[3];
    result.parameters.push_back(
        {(*p)[2],
         extent.empty() ? ""
                        : std::regex_replace(std::regex_replace(extent, std::regex("\\["), "*("),
                                             std::regex("\\]"), ")"),
         (*p)[1] == "int"});
  }
  return result;
}

// Calls both functions on copies of the same values, at one size.
std::string run_at(const Prototype& f, int size, bool dominant) {
  std::string text = "  {\n";
  std::string first, second, check;
  for (const Parameter& p : f.parameters) {
    const std::string comma = first.empty() ? "" : ", ";
    if (p.extent.empty()) {
      text += p.integer ? "  int " + p.name + " = " + std::to_string(size) + ";\n"
                        : "  double " + p.name + " = 0.7;\n";
      first += comma + p.name;
      second += comma + p.name;
      continue;
    }
    text += "  long n_" + p.name + " = 1" + p.extent + ";\n  double *a_" + p.name + " = filled(n_" +
            p.name + "), *b_" + p.name + " = filled(n_" + p.name + ");\n";
    if (dominant) {
      const std::string n = std::to_string(size);
      text += "  for (long i = 0; n_" + p.name + " == " + n + "L * " + n + " && i < " + n +
              "; i++) {\n    a_" + p.name + "[i * (" + n + " + 1)] += " + n + ";\n    b_" + p.name +
              "[i * (" + n + " + 1)] += " + n + ";\n  }\n";
    }
    first += comma + "a_" + p.name;
    second += comma + "b_" + p.name;
    check += "  if (differ(a_" + p.name + ", b_" + p.name + ", n_" + p.name + ")) return 3;\n";
  }
  return text + "  original(" + first + ");\n  rewritten(" + second + ");\n" + check + "  }\n";
}

// Its exit status says whether they agree.
std::string driver(const Prototype& f, const std::vector<int>& sizes, double tolerance) {
  std::string text =
      "#include <stdlib.h>\n#include <string.h>\nvoid original();\nvoid rewritten();\n";
  text +=
      "static double *filled(long n) {\n  double *x = malloc(n * sizeof *x);\n  unsigned s = 1;\n"
      "  for (long i = 0; i < n; i++) { s = s * 1103515245u + 12345u; x[i] = 0.5 + (s >> 8) / "
      "33554432.0; }\n  return x;\n}\n";
  std::ostringstream number;
  number << tolerance;
  if (tolerance > 0) {
    text +=
        "static double size(double x) { return x < 0 ? -x : x; }\n"
        "static int differ(const double *x, const double *y, long n) {\n  double mean = 0;\n"
        "  for (long i = 0; i < n; i++) mean += size(x[i]) / n;\n"
        "  for (long i = 0; i < n; i++) {\n    double most = size(x[i]) > mean ? size(x[i]) : "
        "mean;\n"
        "    if (!(size(x[i] - y[i]) <= " +
        number.str() + " * most)) return 1;\n  }\n  return 0;\n}\n";
  } else {
    text +=
        "static int differ(const double *x, const double *y, long n) { return memcmp(x, y, n * "
        "sizeof(double)) != 0; }\n";
  }
  text += "int main(void) {\n";
  for (const int size : sizes) text += run_at(f, size, tolerance > 0);
  return text + "  return 0;\n}\n";
}

}  // namespace

namespace {

std::string compared(const std::string& original, const std::string& rewritten,
                     const std::vector<int>& sizes, double tolerance, const std::string& flags) {
  const std::string directory =
      (std::filesystem::temp_directory_path() / ("redblue-emitted-" + std::to_string(getpid())))
          .string();
  std::filesystem::create_directories(directory);
  const Prototype f = prototype_of(contents(original));
  std::ofstream(directory + "/rewritten.c") << rewritten;
  std::ofstream(directory + "/driver.c") << driver(f, sizes, tolerance);
  const auto run = [&directory](const std::string& command) {
    return std::system(("cd " + directory + " && " + command + " >log 2>&1").c_str());
  };
  const bool threads = rewritten.find("_OPENMP") != std::string::npos;
  const std::string compiler =
      std::string("cc -std=gnu11 -w") + (threads ? " -fopenmp" : "") + " " + flags;
  const std::string compile = compiler + " -O1 -ffp-contract=off -c -D" + f.name + "=";
  if (run(compile + "original " + original + " -o original.o") != 0)
    return "the original: " + contents(directory + "/log");
  if (run(compile + "rewritten rewritten.c -o rewritten.o") != 0)
    return "the emitted C: " + contents(directory + "/log");
  if (run(compiler + " driver.c original.o rewritten.o -lm -o both" +
          (rewritten.find("cblas.h") == std::string::npos ? "" : " -lopenblas")) != 0)
    return contents(directory + "/log");
  const int status =
      run("ASAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=3 OPENBLAS_NUM_THREADS=1 timeout 20 ./both");
  std::filesystem::remove_all(directory);
  return status == 0 ? "" : "the results differ (status " + std::to_string(status) + ")";
}

}  // namespace

std::string difference(const std::string& original, const std::string& rewritten, int size,
                       const std::string& flags) {
  return compared(original, rewritten, {size}, 0, flags);
}

std::string difference_within(double tolerance, const std::string& original,
                              const std::string& rewritten, const std::vector<int>& sizes,
                              const std::string& flags) {
  return compared(original, rewritten, sizes, tolerance, flags);
}

}  // namespace redblue::test
