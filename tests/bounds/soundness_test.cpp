// SPDX-License-Identifier: BSD-3-Clause
// No schedule may beat a bound: every proved bound of every kernel in kernels/, at many sizes,
// against the cheapest replay found. No exceptions list. Every other size, at each every other S,
// from one size to the next the others; all of them with REDBLUE_ALL_SIZES in the environment
// (about 15 minutes).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "bounds/cheapest_replay.hpp"
#include "kernel_names.hpp"
#include "redblue/analysis.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

class Soundness : public testing::TestWithParam<std::string> {};

TEST_P(Soundness, NoReplayBeatsAProvedBound) {
  BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/" + GetParam() + ".c", "", {}, {}};
  const BoundedProgram program(request);
  const bool all = std::getenv("REDBLUE_ALL_SIZES") != nullptr;
  int compared = 0, above_zero = 0;
  int first = -1;
  for (const std::int64_t n : {1, 3, 5, 8, 12, 20, 48, 64}) {
    if (!all && (n == 5 || n == 12 || n == 48)) continue;
    std::int64_t odd = 0;
    request.sizes.clear();
    for (const std::string& p : program.parameters())
      request.sizes[p] = std::min<std::int64_t>(64, n + (odd++ % 2));
    const cdag::Graph graph = cdag::source_graph(request);
    if (graph.size() > 30'000 && compared > 0) break;
    int turn = first++;
    for (const std::int64_t s : {4, 5, 6, 8, 12, 32}) {
      if (s <= graph.most_operands()) continue;
      if (turn++ % 2 != 0 && !all) continue;
      request.sizes["S"] = s;
      const std::int64_t upper = cheapest_replay(graph, s, {s / 2, s, 2 * s});
      for (const LowerBound& bound : program.at(request.sizes).bounds) {
        if (!bound.proved()) continue;
        EXPECT_LE(*bound.value, static_cast<double>(upper))
            << GetParam() << " n=" << n << " S=" << s << " " << bound.method << " "
            << bound.statement << " " << bound.expression;
        ++compared;
        above_zero += *bound.value > 0 && bound.method != "compulsory" ? 1 : 0;
      }
    }
  }
  EXPECT_GT(compared, 0);
  if (GetParam() == "gemm" || GetParam() == "lu" || GetParam() == "cholesky") {
    EXPECT_GT(above_zero, 0) << "sizes too small to say anything but what is compulsory";
  }
  RecordProperty("bounds_above_zero", above_zero);
}

// Programs of tests/programs/corpus, smaller: steps through several statements, colours,
// reflectors.
class SoundnessOfPrograms : public testing::TestWithParam<std::string> {};

TEST_P(SoundnessOfPrograms, NoReplayBeatsAProvedBound) {
  BoundRequest request{
      REDBLUE_SOURCE_DIR "/tests/programs/corpus/" + GetParam() + ".c", "", {}, {}};
  const BoundedProgram program(request);
  int compared = 0;
  for (const std::int64_t n : {6, 12}) {
    request.sizes.clear();
    for (const std::string& p : program.parameters())
      request.sizes[p] = p == "m" ? n + 2 : n;  // m x n matrices have m >= n
    const cdag::Graph graph = cdag::source_graph(request);
    if (graph.size() > 40'000) break;
    for (const std::int64_t s : {5, 12, 24}) {
      if (s <= graph.most_operands()) continue;
      request.sizes["S"] = s;
      const auto upper = static_cast<double>(cheapest_replay(graph, s, {s / 2, s, 2 * s}));
      for (const LowerBound& bound : program.at(request.sizes).bounds) {
        if (!bound.proved()) continue;
        EXPECT_LE(*bound.value, upper) << GetParam() << " n=" << n << " S=" << s << " "
                                       << bound.method << " " << bound.statement;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0);
}

// Arrays that the user calls scratch: no store of them may be counted, in place or not.
TEST(SoundnessOfScratch, NoReplayBeatsAProvedBound) {
  const std::vector<std::pair<std::string, std::string>> scratch = {
      {"gemm", "C"},     {"2mm", "E"},         {"lu", "A"},        {"mvt", "x1"},
      {"cholesky", "A"}, {"gramschmidt", "Q"}, {"jacobi-2d", "A"}, {"syrk", "C"}};
  int fewer = 0;
  for (const auto& [kernel, array] : scratch) {
    BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/" + kernel + ".c", "", {}, {}};
    const auto names = BoundedProgram(request).parameters();
    for (const std::string& p : names) request.sizes[p] = 6;
    const std::int32_t before = cdag::source_graph(request).outputs();
    request.scratch = {array};
    const BoundedProgram program(request);
    const cdag::Graph graph = cdag::source_graph(request);
    fewer += graph.outputs() < before ? 1 : 0;
    for (const std::int64_t s : {5, 12, 200}) {
      if (s <= graph.most_operands()) continue;
      request.sizes["S"] = s;
      const auto upper = static_cast<double>(cheapest_replay(graph, s, {s / 2, s, 2 * s}));
      for (const LowerBound& bound : program.at(request.sizes).bounds) {
        if (!bound.proved()) continue;
        EXPECT_LE(*bound.value, upper) << kernel << " " << array << " S=" << s << " "
                                       << bound.method << " " << bound.statement;
      }
    }
  }
  EXPECT_EQ(fewer, static_cast<int>(scratch.size()));
}

INSTANTIATE_TEST_SUITE_P(Programs, SoundnessOfPrograms,
                         testing::Values("red_black", "givens_rows", "householder_a2v",
                                         "householder_v2q", "bidiagonal", "hessenberg",
                                         "lattice_boltzmann", "yee_3d", "cg_dense", "lu_temporary",
                                         "attention"),
                         [](const auto& program) { return as_test_name(program.param); });

INSTANTIATE_TEST_SUITE_P(Kernels, Soundness, testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return as_test_name(kernel.param); });

}  // namespace
}  // namespace redblue::test
