// SPDX-License-Identifier: BSD-3-Clause
// Random affine programs: every proved bound, its value and the formulas printed for the sizes
// given and for none, against the optimum of its own game, found by search.
//   random_programs COUNT [FIRST]   programs of COUNT seeds from FIRST (1) on
//   random_programs --seed SEED     one of them, with its text and every comparison
// Exits with 1 where a bound exceeds an optimum, or too little was compared to say anything.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/formula_at.hpp"
#include "random_programs/generator.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

constexpr std::int64_t most_vertices = 40;
constexpr std::int64_t most_states = 30'000;  // of a search; some are not proved within them

struct Counts {
  int programs = 0;
  int refused = 0;
  int searches = 0, proved = 0;
  int compared = 0;                    // bounds above zero with proved optima
  std::map<std::string, int> methods;  // how many of them by method
  int met = 0;                         // that are the optimum
  int formulas = 0;                    // printed ones above zero, at sizes that they claim
  int wrong = 0;
};

// A file that is gone when this is.
class SourceFile {
 public:
  explicit SourceFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("redblue-random-" + std::to_string(getpid()) + ".c")) {
    std::ofstream(path_) << text;
  }
  ~SourceFile() { std::filesystem::remove(path_); }
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

class Check {
 public:
  Check(std::uint64_t seed, Counts& counts, bool verbose)
      : seed_(seed),
        text_(random_program(seed)),
        file_(text_),
        counts_(counts),
        verbose_(verbose) {}

  void run() {
    ++counts_.programs;
    if (verbose_) std::printf("%s", text_.c_str());
    try {
      const BoundedProgram program({file_.path(), "", {}, {}});
      const BoundReport general = program.at({});
      for (const Instance& instance : instances_of(program)) compare(program, general, instance);
    } catch (const Error& e) {
      ++counts_.refused;
      std::printf("seed %llu refused: %s\n", static_cast<unsigned long long>(seed_), e.what());
    }
  }

 private:
  struct Instance {
    SizeMap sizes;
    cdag::Graph graph;
  };

  // The largest of some sizes that give small graphs; every fourth program has one more.
  std::vector<Instance> instances_of(const BoundedProgram& program) const {
    std::vector<Instance> fitting;
    for (const auto& [n, m] : std::vector<std::pair<int, int>>{{7, 4}, {5, 3}, {4, 3}, {3, 2}}) {
      SizeMap sizes;
      for (const std::string& p : program.parameters()) sizes[p] = p == "N" ? n : m;
      if (!fitting.empty() && fitting.back().sizes == sizes) continue;
      cdag::Graph graph = cdag::source_graph({file_.path(), "", {}, sizes});
      if (graph.size() < 3 || graph.size() > most_vertices) continue;
      fitting.push_back({sizes, std::move(graph)});
      if (fitting.size() == 2 || seed_ % 4 != 1) break;
    }
    return fitting;
  }

  void compare(const BoundedProgram& program, const BoundReport& general,
               const Instance& instance) {
    const auto& [sizes, graph] = instance;
    const std::int64_t least = graph.most_operands() + 1;
    // The least, where bounds are highest, and every fourth program larger ones.
    std::vector<std::int64_t> memories = {least};
    if (seed_ % 4 == 0) memories.push_back(least + 1 + static_cast<std::int64_t>(seed_ / 4 % 3));
    for (const std::int64_t s : memories) {
      SizeMap all = sizes;
      all["S"] = s;
      std::map<bool, cdag::Exact> optima;  // by game
      const auto optimum_of = [&](const LowerBound& bound) {
        if (!optima.contains(bound.recomputation))
          optima[bound.recomputation] = optimum(graph, s, bound.recomputation);
        return optima.at(bound.recomputation);
      };
      const BoundReport report = program.at(all);
      for (const LowerBound& bound : report.bounds) {
        if (!bound.proved() || !(*bound.value > 0)) continue;
        judge(bound, all, optimum_of(bound));
      }
      for (const BoundReport* printed : {&report, &general}) {
        for (const LowerBound& bound : printed->bounds) {
          if (!bound.proved() || !bound.holds_at(all)) continue;
          const double formula = formula_at(bound.expression, all);
          if (formula > 0) judge_formula(bound, formula, all, optimum_of(bound));
        }
      }
    }
  }

  cdag::Exact optimum(const cdag::Graph& graph, std::int64_t s, bool recomputation) {
    cdag::ExactOptions options;
    options.recomputation = recomputation;
    options.states = most_states;
    options.seconds = 600;
    cdag::Exact found = cdag::optimal_pebbling(graph, s, options);
    ++counts_.searches;
    counts_.proved += found.proved() ? 1 : 0;
    return found;
  }

  // Where the search did not end, the best pebbling it knows is no less than the optimum.
  void judge(const LowerBound& bound, const SizeMap& sizes, const cdag::Exact& optimum) {
    const auto best = static_cast<double>(optimum.upper);
    const std::string what = bound.method + (bound.statement.empty() ? "" : " on ") +
                             bound.statement + ", " + bound.expression.text();
    if (verbose_) {
      std::printf("%s: %g, optimum %g%s%s   (%s)\n", text_of(sizes).c_str(), *bound.value, best,
                  optimum.proved() ? "" : " or less",
                  bound.recomputation ? "" : ", each value once", what.c_str());
    }
    if (optimum.proved()) {
      ++counts_.compared;
      ++counts_.methods[bound.method];
      counts_.met += *bound.value == best ? 1 : 0;
    }
    if (*bound.value > best + 1e-9 * best)
      report_wrong("the bound " + std::to_string(*bound.value), what, sizes, optimum);
  }

  void judge_formula(const LowerBound& bound, double value, const SizeMap& sizes,
                     const cdag::Exact& optimum) {
    ++counts_.formulas;
    const auto best = static_cast<double>(optimum.upper);
    if (value <= best + 1e-9 * best) return;
    const std::string range = bound.holds_for.empty() ? "all sizes" : bound.holds_for;
    report_wrong("a printed formula's " + std::to_string(value),
                 bound.method + (bound.statement.empty() ? "" : " on ") + bound.statement + ", " +
                     bound.expression.text() + " for " + range,
                 sizes, optimum);
  }

  void report_wrong(const std::string& claim, const std::string& what, const SizeMap& sizes,
                    const cdag::Exact& optimum) {
    ++counts_.wrong;
    std::printf(
        "\nseed %llu: %s exceeds the optimum %lld\n  method %s\n  sizes %s\n"
        "%s  again: random_programs --seed %llu\n\n",
        static_cast<unsigned long long>(seed_), claim.c_str(),
        static_cast<long long>(optimum.upper), what.c_str(), text_of(sizes).c_str(), text_.c_str(),
        static_cast<unsigned long long>(seed_));
  }

  std::uint64_t seed_;
  std::string text_;
  SourceFile file_;
  Counts& counts_;
  bool verbose_;
};

int summary(const Counts& c) {
  std::printf(
      "%d programs, %d refused; %d searches, %d proved; %d bounds above zero compared with "
      "proved optima, %d of them equal; %d printed formulas compared; %d too high\n",
      c.programs, c.refused, c.searches, c.proved, c.compared, c.met, c.formulas, c.wrong);
  for (const auto& [method, count] : c.methods) std::printf("  %-14s %d\n", method.c_str(), count);
  if (c.wrong > 0) return 1;
  if (c.programs < 100) return 0;
  // What a run of many programs must have seen to say anything.
  int beyond_compulsory = 0;
  for (const auto& [method, count] : c.methods)
    beyond_compulsory += method == "compulsory" ? 0 : count;
  const bool enough = c.refused * 5 <= c.programs && c.proved * 10 >= c.searches * 8 &&
                      c.compared >= c.programs && c.formulas >= c.programs &&
                      beyond_compulsory * 8 >= c.programs;
  if (!enough) std::printf("too little was compared to say anything\n");
  return enough ? 0 : 1;
}

}  // namespace
}  // namespace redblue::test

int main(int argc, char** argv) {
  using namespace redblue::test;
  const std::string first = argc > 1 ? argv[1] : "";
  const bool one = first == "--seed" && argc > 2;
  const auto number = [](const char* text) { return std::strtoull(text, nullptr, 10); };
  const std::uint64_t from = argc > 2 ? number(argv[2]) : 1;
  const std::uint64_t count = one ? 1 : number(first.c_str());
  if (count == 0 || from == 0) {
    std::printf("random_programs COUNT [FIRST], or random_programs --seed SEED\n");
    return 2;
  }
  Counts counts;
  for (std::uint64_t seed = from; seed < from + count; ++seed) Check(seed, counts, one).run();
  return summary(counts);
}
