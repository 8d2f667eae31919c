// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/loop_marks.hpp"

namespace redblue::schedule::codegen {

namespace {

constexpr const char* independent_macro =
    "/* The steps of the loop that follows may run in any order (redblue proved it). */\n"
    "#if defined(__clang__)\n"
    "#pragma clang diagnostic ignored \"-Wpass-failed\"\n"
    "#define REDBLUE_INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)\")\n"
    "#elif defined(__GNUC__)\n"
    "/* gcc forgets, after unroll and jam, what one step of such a loop hands to the next line. "
    "*/\n"
    "#pragma GCC optimize(\"no-loop-unroll-and-jam\")\n"
    "#define REDBLUE_INDEPENDENT _Pragma(\"GCC ivdep\")\n"
    "#else\n"
    "#define REDBLUE_INDEPENDENT\n"
    "#endif\n";

constexpr const char* shared_macros =
    "/* With OpenMP, threads share the steps of the loop that follows: tiles, rows, elements. */\n"
    "#if defined(_OPENMP)\n"
    "#define REDBLUE_PARALLEL_EQUAL _Pragma(\"omp parallel for schedule(static)\")\n"
    "#define REDBLUE_PARALLEL_STEPS _Pragma(\"omp parallel for schedule(dynamic)\")\n"
    "#define REDBLUE_PARALLEL _Pragma(\"omp parallel for schedule(static, 4)\")\n"
    "#define REDBLUE_PARALLEL_INDEPENDENT _Pragma(\"omp parallel for simd\")\n"
    "#else\n"
    "#define REDBLUE_PARALLEL_EQUAL\n"
    "#define REDBLUE_PARALLEL_STEPS\n"
    "#define REDBLUE_PARALLEL\n"
    "#define REDBLUE_PARALLEL_INDEPENDENT REDBLUE_INDEPENDENT\n"
    "#endif\n";

}  // namespace

const char* const any_order_of_sums =
    "/* Sums may be added up in any order: their results are rounded otherwise. */\n"
    "#if defined(__clang__)\n"
    "#pragma clang fp reassociate(on)\n"
    "#elif defined(__GNUC__)\n"
    "#pragma GCC optimize(\"associative-math\", \"no-signed-zeros\", \"no-trapping-math\")\n"
    "#endif\n";

std::string marks_defined(const std::string& text) {
  const bool shared = text.find(shared_mark) != std::string::npos;
  const bool independent = text.find(independent_mark) != std::string::npos;
  return std::string(shared || independent ? independent_macro : "") +
         (shared ? shared_macros : "");
}

}  // namespace redblue::schedule::codegen
