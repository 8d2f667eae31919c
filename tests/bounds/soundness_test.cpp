// No schedule may beat a bound: every proved bound of every kernel in kernels/, at many sizes,
// against the cheapest replay found. No exceptions list.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bounds/replay.hpp"
#include "frontend/c/frontend.hpp"
#include "redblue/analysis.hpp"

namespace redblue::test {
namespace {

std::vector<std::string> kernels() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(REDBLUE_SOURCE_DIR "/kernels")) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Soundness : public testing::TestWithParam<std::string> {};

std::int64_t cheapest(const Graph& graph, std::size_t s) {
  std::int64_t best = replay(graph, program_order(graph), s);
  const std::vector<std::size_t> windows =
      graph.operands.size() > 1000 ? std::vector{s} : std::vector{s / 2, s, 2 * s};
  for (const std::size_t window : windows)
    best = std::min(best, replay(graph, greedy_order(graph, window), s));
  return best;
}

TEST_P(Soundness, NoReplayBeatsAProvedBound) {
  const std::string file = REDBLUE_SOURCE_DIR "/kernels/" + GetParam() + ".c";
  const program::Program program = frontend::c::parse(file, "", {});
  int above_zero = 0;
  for (const std::int64_t n : {3, 5, 8, 12, 20, 48}) {
    std::map<std::string, std::int64_t> sizes;
    std::int64_t odd = 0;
    for (const std::string& p : program.parameters) sizes[p] = n + (odd++ % 2);
    const Graph graph = graph_of(program, sizes);
    if (graph.operands.size() > 5500) break;
    for (const std::size_t s : {4, 5, 6, 8, 12}) {
      if (s <= graph.most_operands()) continue;
      sizes["S"] = static_cast<std::int64_t>(s);
      const std::int64_t upper = cheapest(graph, s);
      for (const LowerBound& bound : lower_bounds({file, "", {}, sizes}).bounds) {
        if (!bound.proved()) continue;
        EXPECT_LE(*bound.value, static_cast<double>(upper))
            << GetParam() << " n=" << n << " S=" << s << " " << bound.method << " "
            << bound.statement << " " << bound.expression;
        above_zero += *bound.value > 0 && bound.method != "compulsory" ? 1 : 0;
      }
    }
  }
  RecordProperty("bounds_above_zero", above_zero);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Soundness, testing::ValuesIn(kernels()), [](const auto& kernel) {
  std::string name = kernel.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace redblue::test
