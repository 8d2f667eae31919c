// SPDX-License-Identifier: BSD-3-Clause
// Fast orders against their sources: the emitted C, compiled and run, has the same bits.
#include "redblue/measure.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "redblue/error.hpp"
#include "schedule/emitted.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

std::string kernel(const std::string& name) {
  return REDBLUE_SOURCE_DIR "/kernels/" + name + ".c";
}

// A request to run the text, a C file of that name, once.
MeasureRequest once(const std::string& name, const std::string& text, std::int64_t n) {
  const std::string file = temporary_folder() + "redblue_" + name + ".c";
  std::ofstream(file) << text;
  MeasureRequest request;
  request.code.program.file = file;
  request.code.program.sizes = {{"n", n}};
  request.repetitions = 1;
  return request;
}

FastCode fast(const std::string& name, const std::vector<std::string>& parameters,
              std::int64_t size, int vector_bytes, int threads = 1) {
  FastCodeRequest request;
  request.program.file = kernel(name);
  for (const std::string& p : parameters) request.program.sizes[p] = size;
  request.processor = {1 << 20, vector_bytes, threads};  // whatever runs the test
  return fast_code(request);
}

struct Case {
  std::string name;
  std::vector<std::string> parameters;
  std::size_t blocks;  // statements in register blocks
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class SameBits : public testing::TestWithParam<Case> {};

// Sizes without a whole block, with few, with several tiles, none a multiple of a block's sides.
TEST_P(SameBits, AtEverySize) {
  const Case& c = GetParam();
  const FastCode code = fast(c.name, c.parameters, 400, 32);
  ASSERT_TRUE(code.changed);
  EXPECT_EQ(code.blocks.size(), c.blocks);
  for (const int size : {0, 7, 131}) {
    EXPECT_EQ(difference(kernel(c.name), code.code, size), "") << "at size " << size;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, SameBits,
    testing::Values(Case{"gemm", {"NI", "NJ", "NK"}, 1}, Case{"syrk", {"N", "M"}, 1},
                    Case{"syr2k", {"N", "M"}, 1}, Case{"symm", {"M", "N"}, 2}, Case{"lu", {"N"}, 1},
                    Case{"covariance", {"N", "M"}, 1}, Case{"gramschmidt", {"M", "N"}, 0},
                    Case{"floyd-warshall", {"N"}, 0}, Case{"nussinov", {"N"}, 0},
                    Case{"seidel-2d", {"T", "N"}, 0}, Case{"2mm", {"NI", "NJ", "NK", "NL"}, 2}),
    [](const auto& instance) {
      return "k_" + std::regex_replace(instance.param.name, std::regex("-"), "_");
    });

// Every element waits for the one before, in both directions: instances on a diagonal do not.
TEST(FastCode, RunsGaussAndSeidelAlongDiagonals) {
  const std::string code = fast("seidel-2d", {"T", "N"}, 400, 64).code;
  const std::size_t innermost = code.rfind("for (");
  EXPECT_EQ(code.find_last_not_of(" \n", innermost - 1) + 1,
            code.rfind("REDBLUE_INDEPENDENT") + std::string("REDBLUE_INDEPENDENT").size())
      << code;
}

// All shortest paths carry a dependence along j at j = k only: the loop is cut there, and both
// pieces fill vectors. fmin is no call.
TEST(FastCode, RunsFloydAndWarshallInTilesThatWait) {
  const std::string code = fast("floyd-warshall", {"N"}, 400, 32).code;
  EXPECT_NE(code.find("D_ik_before"), std::string::npos) << code;
  EXPECT_EQ(code.find(" fmin("), std::string::npos);
}

// Stretches are compared in the order in which their halves become final.
TEST(FastCode, ReordersUpdatesThatCommute) {
  EXPECT_EQ(fast("nussinov", {"N"}, 400, 32).reordered, std::vector<std::string>{"fmax of best"});
  EXPECT_TRUE(fast("floyd-warshall", {"N"}, 400, 32).reordered.empty());
}

// Loops for threads. Tiles that any thread may take; those of one loop inside the outermost (LU of
// a small matrix, for which new storage does not pay); a wavefront of tiles where time carries
// everything; a loop whose steps have an array of their own; the panels of tiles that wait.
struct Threads {
  std::string name;
  std::vector<std::string> parameters;
  std::int64_t size;
  std::string shared;  // how the first loop that threads share begins
};

void PrintTo(const Threads& c, std::ostream* out) {
  *out << c.name;
}

class SharedLoops : public testing::TestWithParam<Threads> {};

TEST_P(SharedLoops, GiveTheSameBits) {
  const Threads& c = GetParam();
  const FastCode code = fast(c.name, c.parameters, c.size, 32, 2);
  ASSERT_TRUE(code.changed);
  const std::size_t defined = code.code.find("#endif\n", code.code.find("_OPENMP"));
  const std::size_t mark = code.code.find("REDBLUE_PARALLEL", defined);
  ASSERT_NE(mark, std::string::npos) << code.code;
  const std::size_t loop = code.code.find("for (", mark);
  EXPECT_EQ(code.code.substr(loop, c.shared.size()), c.shared) << code.code;
  for (const int size : {0, 7, 203}) {
    EXPECT_EQ(difference(kernel(c.name), code.code, size), "") << "at size " << size;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, SharedLoops,
    testing::Values(Threads{"gemm", {"NI", "NJ", "NK"}, 400, "for (int j_tile = 0; j_tile < NJ;"},
                    Threads{"ludcmp", {"N"}, 400, "for (int j = -(i % 64) + i; j <"},
                    Threads{"mvt", {"N"}, 2000, "for (int i_tile = 0; i_tile < N;"},
                    Threads{"jacobi-2d", {"T", "N"}, 2000, "for (int t1 = "},
                    Threads{"doitgen",
                            {"NR", "NQ", "NP"},
                            150,
                            "for (int r = 0; r < NR; r++) {\n    double sum[NP];"},
                    Threads{"floyd-warshall", {"N"}, 400, "for (int i_tile = 0; i_tile < k_tile;"}),
    [](const auto& instance) {
      return "k_" + std::regex_replace(instance.param.name, std::regex("-"), "_");
    });

// Too little work is not shared, nor what one step hands to the next.
TEST(FastCode, SharesOnlyWhatIsWorthIt) {
  EXPECT_EQ(fast("gemm", {"NI", "NJ", "NK"}, 20, 32, 2).code.find("_OPENMP"), std::string::npos);
  const std::string text =
      "void scan(int n, double x[n]) {\n#pragma scop\n"
      "  for (int i = 1; i < n; i++) x[i] = x[i] + x[i - 1];\n#pragma endscop\n}\n";
  FastCodeRequest request = once("scan", text, 1000000).code;
  request.processor.threads = 2;
  EXPECT_FALSE(fast_code(request).changed);
}

// Wider registers, other blocks.
TEST(FastCode, BlocksFollowTheRegisters) {
  const FastCode wide = fast("syrk", {"N", "M"}, 400, 64);
  ASSERT_EQ(wide.blocks.size(), 1U);
  EXPECT_EQ(wide.blocks.front(), "S0: 8 x 24 (i, j)");
  EXPECT_EQ(difference(kernel("syrk"), wide.code, 61), "");
  EXPECT_NE(wide.code, fast("syrk", {"N", "M"}, 400, 16).code);
}

// Where nothing is gained, the source is what comes back.
TEST(FastCode, LeavesWhatItCannotBeat) {
  const std::string text =
      "void axpy(int n, double a, double x[n], double y[n]) {\n#pragma scop\n"
      "  for (int i = 0; i < n; i++) y[i] = y[i] + a * x[i];\n#pragma endscop\n}\n";
  const FastCode code = fast_code(once("axpy", text, 1000).code);
  EXPECT_FALSE(code.changed);
  EXPECT_EQ(code.code, text);
}

TEST(Measure, TimesThreadsBesideOne) {
  MeasureRequest request;
  request.code.program.file = kernel("mvt");
  request.code.program.sizes = {{"N", 500}};
  request.code.processor.threads = 2;
  request.repetitions = 2;
  const Measurement m = measure(request);
  EXPECT_TRUE(m.same_results) << m.first_difference;
  EXPECT_EQ(m.repetitions, 2);
  EXPECT_EQ(m.one_thread_seconds.has_value(), !m.tried_seconds.has_value());
}

// A x of the rows of A: sums fill vectors in the source's order, too, and are rounded otherwise.
TEST(Measure, ReassociatesSumsOnRequest) {
  MeasureRequest request;
  request.code.program.file = kernel("atax");
  request.code.program.sizes = {{"M", 400}, {"N", 500}};
  request.code.processor.reassociate = true;
  request.repetitions = 2;
  const Measurement m = measure(request);
  EXPECT_TRUE(m.same_results) << m.first_difference;
  ASSERT_TRUE(m.tolerance && m.largest_difference);
  EXPECT_LE(*m.largest_difference, 1e-13);
  const FastCode code = fast_code(request.code);
  EXPECT_NE(code.code.find("associative-math"), std::string::npos);
  request.code.processor.reassociate = false;
  EXPECT_EQ(fast_code(request.code).code.find("associative-math"), std::string::npos);
  request.code.processor.reassociate = request.code.processor.blas = true;
  EXPECT_THROW(measure(request), Error);
}

// Rows that depend on each other nearly, so that a rounding is all that is left of some.
TEST(Measure, KeepsSumsInOrderWhereRoundingsCount) {
  MeasureRequest request;
  request.code.program.file = kernel("gramschmidt");
  request.code.program.sizes = {{"M", 60}, {"N", 90}};
  request.code.processor.reassociate = true;
  request.repetitions = 2;
  const Measurement m = measure(request);
  EXPECT_TRUE(m.same_results) << m.first_difference;
  EXPECT_FALSE(m.tolerance);
  EXPECT_NE(m.rounding_difference, "");
}

TEST(Measure, ComparesAndTimes) {
  MeasureRequest request;
  request.code.program.file = kernel("syrk");
  request.code.program.sizes = {{"N", 70}, {"M", 50}};
  request.repetitions = 3;
  const Measurement m = measure(request);
  EXPECT_TRUE(m.same_results) << m.first_difference;
  EXPECT_EQ(m.repetitions, 3);
  EXPECT_GT(m.original_seconds, 0);
  EXPECT_GT(m.schedule_seconds, 0);
}

// Twice as many floats fill a register; steps of the sums that are products of three.
TEST(Measure, FloatsFillWiderBlocks) {
  const std::string text =
      "void mm(int n, float a, float A[n][n], float B[n][n], float C[n][n]) {\n"
      "#pragma scop\n"
      "  for (int i = 0; i < n; i++)\n"
      "    for (int j = 0; j < n; j++)\n"
      "      for (int k = 0; k < n; k++) C[i][j] -= a * A[i][k] * B[j][k];\n"
      "#pragma endscop\n}\n";
  for (const int bytes : {16, 32}) {
    MeasureRequest request = once("float", text, 301);
    request.code.processor.vector_bytes = bytes;
    ASSERT_EQ(fast_code(request.code).blocks.size(), 1U);
    const Measurement m = measure(request);
    EXPECT_TRUE(m.same_results) << m.first_difference;
  }
}

// 0.5 * x is arithmetic of doubles where x is a float: no vector of floats does it.
TEST(FastCode, DoubleNumbersKeepFloatsOutOfBlocks) {
  const auto blocks = [](const std::string& number) {
    const std::string text =
        "void mm(int n, float A[n][n], float B[n][n], float C[n][n]) {\n"
        "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n"
        "      for (int k = 0; k < n; k++) C[i][j] -= " +
        number + " * A[i][k] * B[k][j];\n}\n";
    return fast_code(once("numbers", text, 301).code).blocks.size();
  };
  EXPECT_EQ(blocks("0.5"), 0U);
  EXPECT_EQ(blocks("1e-3"), 0U);
  EXPECT_EQ(blocks("0.5f"), 1U);
}

// A pointer's extent is what the program reaches.
TEST(Measure, FlatArraysHaveTheExtentThatIsReached) {
  const std::string text =
      "void mm(int n, double *A, double *B, double *C) {\n"
      "  for (int i = 0; i < n; i++)\n"
      "    for (int j = 0; j < n; j++)\n"
      "      for (int k = 0; k < n; k++)\n"
      "        C[i * n + j] += A[i * n + k] * B[k * n + j];\n}\n";
  try {
    EXPECT_TRUE(measure(once("flat", text, 45)).same_results);
  } catch (const Error& e) {
    // Rows found again are refused as C, in one line that says what to write instead.
    EXPECT_NE(std::string(e.what()).find("A[i][j]"), std::string::npos) << e.what();
  }
}

// double **C and double *A[n] point to rows, double (*B)[n] to an array of two dimensions.
TEST(Measure, PointersToRowsAreMadeUp) {
  const std::string loops =
      "  for (int i = 0; i < n; i++)\n"
      "    for (int j = 0; j < n; j++)\n"
      "      for (int k = 0; k < n; k++)\n"
      "        C[i][j] += A[i][k] * B[k][j];\n}\n";
  const auto run = [&](const std::string& parameters) {
    return measure(once("rows", "void mm(int n, " + parameters + ") {\n" + loops, 45));
  };
  EXPECT_TRUE(run("double **A, double **B, double **C").same_results);
  EXPECT_TRUE(run("double *A[n], double (*B)[n], double *const *C").same_results);
}

TEST(Measure, MissingSizesAndCompilersAreErrors) {
  MeasureRequest request;
  request.code.program.file = kernel("syrk");
  request.code.program.sizes = {{"N", 10}};
  EXPECT_THROW(measure(request), Error);
  request.code.program.sizes["M"] = 10;
  setenv("CC", "/nowhere/cc", 1);
  EXPECT_THROW(measure(request), Error);
  unsetenv("CC");
}

}  // namespace
}  // namespace redblue::test
