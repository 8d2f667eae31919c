// SPDX-License-Identifier: BSD-3-Clause
// Read by the compiler as headers of the system, in C and in C++. Only what the front end knows:
// containers (frontend/c/containers.hpp), pure functions, types, and what programs print with.
#include "frontend/c/ast/own_headers.hpp"

namespace redblue::frontend::c {

namespace {

constexpr const char* begin_c =
    "#pragma once\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    "typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t;\n"
    "#undef NULL\n#define NULL 0\n";
constexpr const char* end_c = "\n#ifdef __cplusplus\n}\n#endif\n";

constexpr const char* stddef = "#define offsetof(type, member) __builtin_offsetof(type, member)\n";

constexpr const char* stdint_types =
    "typedef __INT8_TYPE__ int8_t; typedef __UINT8_TYPE__ uint8_t;\n"
    "typedef __INT16_TYPE__ int16_t; typedef __UINT16_TYPE__ uint16_t;\n"
    "typedef __INT32_TYPE__ int32_t; typedef __UINT32_TYPE__ uint32_t;\n"
    "typedef __INT64_TYPE__ int64_t; typedef __UINT64_TYPE__ uint64_t;\n"
    "typedef __INTPTR_TYPE__ intptr_t; typedef __UINTPTR_TYPE__ uintptr_t;\n"
    "#define INT32_MAX __INT32_MAX__\n#define INT64_MAX __INT64_MAX__\n#define SIZE_MAX "
    "__SIZE_MAX__\n";

constexpr const char* stdlib =
    "void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t);\n"
    "void *aligned_alloc(size_t, size_t); int posix_memalign(void **, size_t, size_t);\n"
    "void free(void *); int abs(int); long labs(long); int rand(void); void srand(unsigned);\n"
    "int atoi(const char *); double atof(const char *); void exit(int); void abort(void);\n";

constexpr const char* string_functions =
    "void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t);\n"
    "void *memmove(void *, const void *, size_t); size_t strlen(const char *);\n"
    "int strcmp(const char *, const char *);\n";

constexpr const char* stdio =
    "typedef struct redblue_file FILE; extern FILE *stdin, *stdout, *stderr;\n"
    "int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int puts(const char "
    "*);\n"
    "int putchar(int); int fflush(FILE *);\n";

constexpr const char* limits =
    "#define CHAR_BIT 8\n#define INT_MAX __INT_MAX__\n#define INT_MIN (-__INT_MAX__ - 1)\n"
    "#define LONG_MAX __LONG_MAX__\n#define LONG_MIN (-__LONG_MAX__ - 1L)\n"
    "#define UINT_MAX (2U * __INT_MAX__ + 1U)\n";

constexpr const char* floats =
    "#define DBL_MAX __DBL_MAX__\n#define DBL_MIN __DBL_MIN__\n#define DBL_EPSILON "
    "__DBL_EPSILON__\n"
    "#define FLT_MAX __FLT_MAX__\n#define FLT_MIN __FLT_MIN__\n#define FLT_EPSILON "
    "__FLT_EPSILON__\n";

constexpr const char* omp =
    "int omp_get_thread_num(void); int omp_get_num_threads(void); int omp_get_max_threads(void);\n"
    "int omp_get_num_procs(void); void omp_set_num_threads(int); double omp_get_wtime(void);\n";

constexpr const char* booleans =
    "#ifndef __cplusplus\n#define bool _Bool\n#define true 1\n#define false 0\n#endif\n";

// Functions of one, two and three numbers, for the three types.
std::string math_functions() {
  std::string text =
      "#define HUGE_VAL __builtin_huge_val()\n#define INFINITY __builtin_inff()\n"
      "#define NAN __builtin_nanf(\"\")\n#define M_PI 3.14159265358979323846\n"
      "#define M_E 2.7182818284590452354\n#define M_SQRT2 1.41421356237309504880\n";
  const auto declare = [&text](const char* name, const char* arguments) {
    for (const auto& [type, suffix] :
         {std::pair("double", ""), {"float", "f"}, {"long double", "l"}}) {
      std::string list;
      for (const char* a = arguments; *a != '\0'; ++a)
        list += (list.empty() ? "" : ", ") + std::string(type);
      text += std::string(type) + " " + name + suffix + "(" + list + ");\n";
    }
  };
  for (const char* one :
       {"sqrt", "cbrt", "exp",  "exp2",  "expm1", "log",   "log2",  "log10",  "log1p",
        "fabs", "sin",  "cos",  "tan",   "asin",  "acos",  "atan",  "sinh",   "cosh",
        "tanh", "erf",  "erfc", "floor", "ceil",  "round", "trunc", "tgamma", "lgamma"})
    declare(one, "x");
  for (const char* two : {"pow", "fmin", "fmax", "atan2", "hypot", "fmod", "copysign"})
    declare(two, "xy");
  declare("fma", "xyz");
  return text;
}

// A header of C and its twin of C++, whose names are in std, too.
void add(std::vector<OwnHeader>& headers, const std::string& name, const std::string& text) {
  headers.push_back({name + ".h", begin_c + text + end_c});
}

void add_twin(std::vector<OwnHeader>& headers, const std::string& name, const std::string& names) {
  std::string text = "#pragma once\n#include <" + name +
                     ".h>\nnamespace std {\nusing ::size_t; "
                     "using ::ptrdiff_t;\n";
  std::string word;
  for (const char c : names + " ") {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      text += "using ::" + word + ";\n";
      word.clear();
    }
  }
  headers.push_back({"c" + name, text + "}\n"});
}

constexpr const char* cmath =
    "#pragma once\n#include <math.h>\n#include <stdlib.h>\nnamespace std {\nusing ::size_t;\n"
    "using ::sqrt; using ::cbrt; using ::exp; using ::exp2; using ::log; using ::log2;\n"
    "using ::log10; using ::fabs; using ::sin; using ::cos; using ::tan; using ::asin;\n"
    "using ::acos; using ::atan; using ::sinh; using ::cosh; using ::tanh; using ::floor;\n"
    "using ::ceil; using ::round; using ::trunc; using ::pow; using ::fmin; using ::fmax;\n"
    "using ::atan2; using ::hypot; using ::fmod; using ::copysign; using ::fma; using ::erf;\n"
    "using ::abs; double abs(double); float abs(float);\n}\n";

constexpr const char* initializer_list =
    "#pragma once\nnamespace std {\ntemplate <class T> class initializer_list {\n"
    "  const T *first; __SIZE_TYPE__ number;\n public:\n  constexpr initializer_list() : "
    "first(nullptr), number(0) {}\n"
    "  const T *begin() const; const T *end() const; __SIZE_TYPE__ size() const;\n};\n}\n";

// What sequences have in common.
constexpr const char* elements =
    "  T &operator[](size_t); const T &operator[](size_t) const; T &at(size_t); const T "
    "&at(size_t) const;\n"
    "  T *data(); const T *data() const; size_t size() const; bool empty() const;\n"
    "  T *begin(); T *end(); const T *begin() const; const T *end() const;\n"
    "  T &front(); T &back(); const T &front() const; const T &back() const;\n";

std::string sequence(const std::string& name, const std::string& more) {
  return "#pragma once\n#include <initializer_list>\n#include <cstddef>\nnamespace std {\n"
         "template <class T> class " +
         name + " {\n public:\n  using value_type = T; using size_type = size_t;\n  " + name +
         "(); ~" + name + "(); " + name + "(const " + name + " &); " + name + " &operator=(const " +
         name + " &);\n" + more + elements + "};\n}\n";
}

constexpr const char* array_members =
    "  T elements_[n];\n"
    "  T &operator[](size_t); const T &operator[](size_t) const; T &at(size_t); const T "
    "&at(size_t) const;\n"
    "  T *data(); const T *data() const; constexpr size_t size() const { return n; }\n"
    "  T *begin(); T *end(); const T *begin() const; const T *end() const; void fill(const T &);\n";

constexpr const char* span =
    "#pragma once\n#include <cstddef>\nnamespace std {\n"
    "template <class T> class span {\n public:\n  span(); span(T *, size_t);\n"
    "  template <class C> span(C &&);\n"
    "  T &operator[](size_t) const; T *data() const; size_t size() const;\n"
    "  T *begin() const; T *end() const;\n};\n}\n";

constexpr const char* algorithm =
    "#pragma once\n#include <cstddef>\n#include <utility>\nnamespace std {\n"
    "template <class T> const T &min(const T &, const T &);\n"
    "template <class T> const T &max(const T &, const T &);\n"
    "template <class I, class T> void fill(I, I, const T &);\n"
    "template <class I, class J> J copy(I, I, J);\n}\n";

constexpr const char* memory =
    "#pragma once\n#include <cstddef>\nnamespace std {\n"
    "template <class T> class unique_ptr {\n public:\n  explicit unique_ptr(T *); T &operator*() "
    "const; T *get() const;\n};\n"
    "template <class T> class unique_ptr<T[]> {\n public:\n  explicit unique_ptr(T *); T "
    "&operator[](size_t) const; T *get() const;\n};\n}\n";

constexpr const char* complex =
    "#pragma once\nnamespace std {\ntemplate <class T> class complex {\n public:\n"
    "  constexpr complex(T = T(), T = T()) {}\n  T real() const; T imag() const;\n"
    "  complex &operator+=(const complex &); complex &operator-=(const complex &);\n"
    "  complex &operator*=(const complex &); complex &operator/=(const complex &);\n"
    "  friend complex operator+(const complex &, const complex &);\n"
    "  friend complex operator-(const complex &, const complex &);\n"
    "  friend complex operator*(const complex &, const complex &);\n"
    "  friend complex operator/(const complex &, const complex &);\n};\n"
    "template <class T> complex<T> conj(const complex<T> &); template <class T> T norm(const "
    "complex<T> &);\n}\n";

void add_cpp(std::vector<OwnHeader>& headers) {
  headers.insert(
      headers.end(),
      {{"cmath", cmath},
       {"initializer_list", initializer_list},
       {"vector", sequence("vector",
                           "  explicit vector(size_t); vector(size_t, const T &); "
                           "vector(initializer_list<T>);\n"
                           "  void push_back(const T &); void resize(size_t); void clear();\n")},
       {"valarray", sequence("valarray",
                             "  explicit valarray(size_t); valarray(const T &, "
                             "size_t);\n")},
       {"array", std::string("#pragma once\n#include <cstddef>\nnamespace std {\ntemplate <class "
                             "T, size_t n> struct array {\n") +
                     array_members + "};\n}\n"},
       {"span", span},
       {"utility", "#pragma once\nnamespace std {\ntemplate <class T> void swap(T &, T &);\n}\n"},
       {"algorithm", algorithm},
       {"memory", memory},
       {"complex", complex}});
}

}  // namespace

const std::vector<OwnHeader>& own_headers() {
  static const std::vector<OwnHeader> all = [] {
    std::vector<OwnHeader> headers;
    add(headers, "stddef", stddef);
    add(headers, "stdint", stdint_types);
    add(headers, "stdlib", stdlib);
    add(headers, "string", string_functions);
    add(headers, "stdio", stdio);
    add(headers, "limits", limits);
    add(headers, "float", floats);
    add(headers, "math", math_functions());
    add(headers, "stdbool", booleans);
    add(headers, "assert", "#define assert(condition) ((void)0)\n");
    add(headers, "omp", omp);
    headers.back().spare = true;
    for (const char* name : {"stddef", "limits", "float", "assert"}) add_twin(headers, name, "");
    add_twin(headers, "stdint", "int32_t int64_t uint32_t uint64_t");
    add_twin(headers, "stdlib", "malloc calloc free abs");
    add_twin(headers, "string", "memset memcpy memmove");
    add_twin(headers, "stdio", "printf puts");
    add_cpp(headers);
    return headers;
  }();
  return all;
}

}  // namespace redblue::frontend::c
