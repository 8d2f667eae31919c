// SPDX-License-Identifier: BSD-3-Clause
#include "measure/driver.hpp"

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "measure/parameters.hpp"
#include "program/checked.hpp"
#include "program/touched.hpp"
#include "redblue/error.hpp"

namespace redblue::measure_detail {

using program::Program;
using program::Sizes;
using program::Variable;

namespace {

// The extents of an array: as declared, or else as far as the program reaches.
std::vector<std::int64_t> extents_of(const Program& program, const std::string& array,
                                     const std::vector<isl::pw_aff>& declared, const Sizes& sizes) {
  const isl::set here = program::at_sizes(sizes);
  std::vector<std::int64_t> result;
  for (const isl::pw_aff& extent : declared) {
    isl_pw_aff* value = isl_pw_aff_intersect_params(extent.copy(), here.copy());
    result.push_back(program::whole_number(isl_pw_aff_max_val(value)).value_or(0));
  }
  const std::vector<Range> touched = program::touched(program, array, sizes);
  result.resize(std::max(result.size(), touched.size()));
  for (std::size_t d = 0; d < touched.size(); ++d) {
    if (declared.empty() || result[d] == 0) result[d] = std::max(result[d], touched[d].end);
  }
  return result;
}

constexpr const char* head = R"(
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif
/* Every call takes its large arrays from the system, as a program's first one does: glibc would keep those of up to 32 MiB
   from one call to the next, and spare the later calls what clearing pages takes. */
static void forget_freed_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void *room(size_t bytes) {
  void *memory = aligned_alloc(4096, (bytes / 4096 + 1) * 4096);
  if (memory == 0) exit(3);
  memset(memory, 0, bytes);
  return memory;
}
static void *rows(void *data, long n, size_t bytes) {
  char **first = room((size_t)n * sizeof *first);
  for (long i = 0; i < n; i++) first[i] = (char *)data + (size_t)i * bytes;
  return first;
}
)";

bool fraction(const std::string& type) {
  return type == "double" || type == "float";
}

class Writer {
 public:
  Writer(const Program& program, const Sizes& sizes, int threads, Sharing sharing,
         std::optional<double> tolerance)
      : program_(program),
        sizes_(sizes),
        threads_(threads),
        both_(sharing == Sharing::both),
        tolerance_(tolerance) {
    for (const Parameter& p : parameters_of(program)) add(p);
  }

  std::string text() const {
    return head + std::string("void original();\nvoid scheduled();\n") + fill_functions() +
           "int main(int count, char **words) {\n  int repetitions = count > 1 ? atoi(words[1]) : "
           "0;\n  if (count > 2) alarm((unsigned)atoi(words[2]));\n  "
           "forget_freed_memory();\n" +
           declarations_ + (threads_ > 1 ? on_threads(both_ ? threads_ : 1) : "") +
           "  for (int r = 0; r == 0 || r < repetitions; r++) {\n" +
           timed("original", first_, fills_of_first_) +
           timed("scheduled", second_, fills_of_second_) +
           (threads_ > 1 && !both_
                ? on_threads(threads_) + timed("scheduled", second_, fills_of_second_) +
                      on_threads(1)
                : "") +
           "    if (repetitions > 0) printf(\"\\n\");\n  }\n  if (repetitions > 0) return 0;\n" +
           checks_ +
           (tolerance_ ? "  printf(\"same %.3g\\n\", largest);\n" : "  printf(\"same\\n\");\n") +
           "  return 0;\n}\n";
  }

 private:
  static std::string on_threads(int threads) {
    return "    omp_set_num_threads(" + std::to_string(threads) + ");\n";
  }

  // A call between two readings of the clock, on data filled anew.
  static std::string timed(const std::string& function, const std::string& arguments,
                           const std::string& fills) {
    return "    {\n" + fills + "    double before = seconds();\n    " + function + "(" + arguments +
           ");\n    double after = seconds();\n"
           "    if (repetitions > 0) printf(\"%.9f \", after - before);\n    }\n";
  }

  static std::string check_bits(const std::string& type) {
    return "static int check_" + type + "(const char *name, const " + type + " *x, const " + type +
           " *y, long n) {\n  for (long i = 0; i < n; i++)\n"
           "    if (memcmp(x + i, y + i, sizeof *x) && !(x[i] != x[i] && y[i] != y[i])) {\n"
           "      printf(\"%s[%ld]: %.17g and %.17g\\n\", name, i, (double)x[i], (double)y[i]);\n"
           "      return 1;\n    }\n  return 0;\n}\n";
  }

  std::string check_within(const std::string& type) const {
    std::ostringstream part;
    part << *tolerance_;
    return "static int check_" + type + "(const char *name, const " + type + " *x, const " + type +
           " *y, long n) {\n  double mean = 0;\n  for (long i = 0; i < n; i++)\n"
           "    if (magnitude(x[i]) <= 1e300) mean += magnitude(x[i]) / n;\n"
           "  for (long i = 0; i < n; i++) {\n"
           "    if (x[i] == y[i] || (x[i] != x[i] && y[i] != y[i])) continue;\n"
           "    double size = mean;\n"
           "    if (magnitude(x[i]) > size) size = magnitude(x[i]);\n"
           "    if (magnitude(y[i]) > size) size = magnitude(y[i]);\n"
           "    double part = magnitude((double)x[i] - (double)y[i]) / size;\n"
           "    if (part > largest) largest = part;\n"
           "    if (part <= " +
           part.str() +
           ") continue;\n"
           "    printf(\"%s[%ld]: %.17g and %.17g\\n\", name, i, (double)x[i], (double)y[i]);\n"
           "    return 1;\n  }\n  return 0;\n}\n";
  }

  std::string fill_functions() const {
    std::string text;
    for (const std::string type : {"double", "float", "int", "long"}) {
      const std::string value = fraction(type) ? "(" + type + ")(0.5 + (s >> 8) / 33554432.0)"
                                               : "(" + type + ")(s >> 30)";
      text += "static void fill_" + type + "(" + type +
              " *x, long n, long side) {\n"
              "  unsigned s = 1;\n  for (long i = 0; i < n; i++) { s = s * 1103515245u + 12345u; "
              "x[i] = " +
              value + "; }\n" +
              (fraction(type)
                   ? std::string("  for (long i = 0; i < side; i++) x[i * (side + 1)] += (") +
                         type + ")side;\n"
                   : std::string("  (void)side;\n")) +
              "}\n";
      text += tolerance_ && fraction(type) ? check_within(type) : check_bits(type);
    }
    const std::string magnitude =
        "static double largest = 0;\n"
        "static double magnitude(double x) { return x < 0 ? -x : x; }\n";
    return "#pragma GCC diagnostic ignored \"-Wunused-function\"\n" +
           (tolerance_ ? magnitude : "") + text;
  }

  void add(const Parameter& p) {
    const std::string& name = p.name;
    const std::string comma = first_.empty() ? "" : ", ";
    const auto size = sizes_.find(name);
    if (size != sizes_.end() &&
        std::count(program_.parameters.begin(), program_.parameters.end(), name) != 0) {
      scalar(comma, type_of_size(program_, name), std::to_string(size->second));
      return;
    }
    const Variable& v = variable(program_, name, "a run");
    if (!v.array) {
      if (!fraction(v.type)) refuse(v);
      scalar(comma, v.type, "0.7");
      return;
    }
    if (!fraction(v.type) && v.type != "int" && v.type != "long") refuse(v);
    array(comma, v, p.row_pointers);
  }

  [[noreturn]] void refuse(const Variable& v) const {
    throw Error("a run of " + program_.name, "its parameter '" + v.name + "' is of type " + v.type,
                "redblue makes up numbers of type double, float, int and long");
  }

  void scalar(const std::string& comma, const std::string& type, const std::string& value) {
    first_ += comma + "(" + type + ")" + value;
    second_ += comma + "(" + type + ")" + value;
  }

  void array(const std::string& comma, const Variable& v, bool row_pointers) {
    const std::vector<std::int64_t> extents = extents_of(program_, v.name, v.extents, sizes_);
    if (row_pointers && extents.size() != 2) {
      throw Error("a run of " + program_.name,
                  "its parameter '" + v.name + "' has pointers to rows, and " +
                      std::to_string(extents.size()) + " subscripts",
                  "pointers to rows have two");
    }
    std::int64_t elements = 1;
    for (const std::int64_t e : extents) elements *= std::max<std::int64_t>(e, 1);
    const bool square = extents.size() == 2 && extents[0] == extents[1];
    const std::string n = std::to_string(elements), side = std::to_string(square ? extents[0] : 0);
    for (const char* copy : {"a_", "b_"}) {
      const std::string name = copy + v.name;
      declarations_ += "  " + v.type + " *" + name + " = room(" + n + " * sizeof *" + name + ");\n";
      if (row_pointers) {
        declarations_ += "  void *rows_" + name + " = rows(" + name + ", " +
                         std::to_string(extents[0]) + ", " + std::to_string(extents[1]) +
                         " * sizeof *" + name + ");\n";
      }
      std::string& fills = copy == std::string("a_") ? fills_of_first_ : fills_of_second_;
      fills += "    fill_" + v.type + "(" + name + ", " + n + ", " + side + ");\n";
    }
    checks_ += "  if (check_" + v.type + "(\"" + v.name + "\", a_" + v.name + ", b_" + v.name +
               ", " + n + ")) return 0;\n";
    const std::string passed = row_pointers ? "rows_" : "";
    first_ += comma + passed + "a_" + v.name;
    second_ += comma + passed + "b_" + v.name;
  }

  const Program& program_;
  const Sizes& sizes_;
  int threads_ = 1;
  bool both_ = false;
  std::optional<double> tolerance_;
  std::string declarations_, fills_of_first_, fills_of_second_, checks_, first_, second_;
};

}  // namespace

std::string driver(const Program& program, const Sizes& sizes, int threads, Sharing sharing,
                   std::optional<double> tolerance) {
  return Writer(program, sizes, threads, sharing, tolerance).text();
}

}  // namespace redblue::measure_detail
