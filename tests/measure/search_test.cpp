// SPDX-License-Identifier: BSD-3-Clause
// Searches on a machine made up, whose times are known, and on this one.
#include "measure/search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "frontend/read.hpp"
#include "measure/remembered.hpp"
#include "redblue/measure.hpp"
#include "schedule/choice/choice_text.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

using measure_detail::Candidate;
using measure_detail::Found;
using measure_detail::Pair;
using schedule::codegen::BandChoice;
using schedule::codegen::BlockSizes;
using schedule::codegen::Choice;
using schedule::codegen::own_order;

std::string file_with(const std::string& name, const std::string& text) {
  const std::string file = temporary_folder() + "redblue_" + name + ".c";
  std::ofstream(file) << text;
  return file;
}

std::string turned() {
  return file_with("turned",
                   "void turned(int n, double A[n][n], double B[n][n]) {\n#pragma scop\n"
                   "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n"
                   "      B[j][i] = A[i][j] + B[j][i];\n#pragma endscop\n}\n");
}

// A search from tiles of 8 x 2048 where each call takes the seconds that `seconds` says; a timing
// is a second of the search's.
struct MadeUp {
  std::function<double(const Candidate&)> seconds;
  std::function<bool(const Candidate&)> same_results = [](const Candidate&) { return true; };
  int timings = 0;

  Found search(double most = 400) {
    BoundRequest request;
    request.file = turned();
    const program::Program program = frontend::read(request);
    const program::Sizes sizes = {{"n", 3000}};
    const schedule::codegen::Processor processor{1 << 17, 32};
    const schedule::codegen::Orders orders(program, sizes, processor);
    Choice bad = orders.fastest()->choice;
    EXPECT_EQ(bad.bands.size(), 1U);
    bad.bands.front().tiles = {8, 2048};
    const auto made = orders.made(bad);
    EXPECT_TRUE(made);
    const Candidate start{bad, emitted(made->program, made->schedule, made->exclusive)};
    measure_detail::Trials trials;
    trials.time = [&](const Candidate& a, const Candidate& b, int, double) {
      ++timings;
      return Pair{seconds(a), seconds(b)};
    };
    trials.same_results = same_results;
    trials.seconds = [&] { return static_cast<double>(timings); };
    trials.progress = [](int, double) {};
    return measure_detail::search(
        {orders, processor, start, start, {Choice{}, program.region.text}, most}, trials);
  }
};

// 1 for tiles of 64 x 64, more by a tenth for every doubling or halving away from it.
double away_from_64(const Candidate& c) {
  if (c.choice.nest == own_order || c.choice.bands.size() != 1) return 10;
  const BandChoice& band = c.choice.bands.front();
  double result = 1;
  for (const std::int64_t size : band.tiles)
    result += size == 0 ? 1 : 0.1 * std::abs(std::log2(static_cast<double>(size)) - 6);
  return band.tiles.empty() ? 3 : result;
}

TEST(Search, FindsTheBestTilesFromBadOnes) {
  MadeUp machine{away_from_64};
  const Found found = machine.search();
  ASSERT_EQ(found.best.choice.bands.size(), 1U) << text(found.best.choice);
  EXPECT_EQ(found.best.choice.bands.front().tiles, (std::vector<std::int64_t>{64, 64}));
  EXPECT_DOUBLE_EQ(found.best_seconds, 1);
  EXPECT_DOUBLE_EQ(found.model_seconds, 1.8);
  EXPECT_GT(found.tried, 5);
}

TEST(Search, EndsWithItsSeconds) {
  MadeUp machine{away_from_64};
  machine.search(6);
  EXPECT_LE(machine.timings, 9);  // a confirmation, and the last comparison
}

// Gains below 3 %, and those that a second timing does not show, are not taken.
TEST(Search, TakesNoNoise) {
  int call = 0;
  MadeUp small{[&](const Candidate&) { return ++call % 2 == 1 ? 1 : 0.98; }};
  EXPECT_EQ(text(small.search(60).best.choice).find("tiles 8 2048") != std::string::npos, true);
  MadeUp once{};
  std::set<std::string> seen;
  once.seconds = [&](const Candidate& c) {
    return seen.insert(text(c.choice)).second && seen.size() > 1 ? 0.5 : 1;
  };
  EXPECT_NE(text(once.search(60).best.choice).find("tiles 8 2048"), std::string::npos);
  EXPECT_GT(seen.size(), 5U);
}

TEST(Search, TakesNoOtherBits) {
  MadeUp machine{away_from_64};
  machine.same_results = [](const Candidate&) { return false; };
  const Found found = machine.search(60);
  EXPECT_NE(text(found.best.choice).find("tiles 8 2048"), std::string::npos);
  EXPECT_FALSE(found.other_bits.empty());
}

// The model's best orders of the program `turned`, the first of which takes 1 s.
struct Contest {
  std::vector<Candidate> candidates;
  Contest() {
    for (const int tile : {16, 32, 64, 128})
      candidates.push_back({Choice{0, 64, {{{}, 0, {tile, tile}}}}, std::to_string(tile)});
  }

  Found found(const std::map<std::string, double>& seconds, const std::string& wrong = "",
              double most = 100) const {
    int timings = 0;
    measure_detail::Trials trials;
    trials.time = [&](const Candidate& a, const Candidate& b, int, double) {
      ++timings;
      return Pair{seconds.at(a.code), seconds.at(b.code)};
    };
    trials.same_results = [&](const Candidate& c) { return c.code != wrong; };
    trials.seconds = [&] { return static_cast<double>(timings); };
    trials.progress = [](int, double) {};
    return measure_detail::fastest_of(candidates, most, trials);
  }
};

TEST(FastestOf, TakesWhatRunsFastestAndGivesTheSameBits) {
  const Contest contest;
  const std::map<std::string, double> seconds = {{"16", 1}, {"32", 0.7}, {"64", 0.5}, {"128", 2}};
  const Found found = contest.found(seconds);
  EXPECT_EQ(found.best.code, "64");
  EXPECT_EQ(found.tried, 3);
  EXPECT_DOUBLE_EQ(found.best_seconds, 0.5);
  EXPECT_DOUBLE_EQ(found.model_seconds, 1);
  const Found right = contest.found(seconds, "64");
  EXPECT_EQ(right.best.code, "32");
  EXPECT_EQ(right.other_bits.size(), 1U);
}

TEST(FastestOf, KeepsTheModelsChoiceWhereNothingGains) {
  const Contest contest;
  const Found found = contest.found({{"16", 1}, {"32", 0.98}, {"64", 1.5}, {"128", 1}});
  EXPECT_EQ(found.best.code, "16");
  EXPECT_DOUBLE_EQ(found.model_seconds, found.best_seconds);
  // One timing of the start, and no second for another.
  const Found late = contest.found({{"16", 1}, {"32", 0.5}, {"64", 0.5}, {"128", 0.5}}, "", 1);
  EXPECT_EQ(late.best.code, "16");
  EXPECT_EQ(late.tried, 0);
}

// Where the model is far off: doitgen's first choice has new memory that the system clears.
TEST(Orders, BestOnesAreFasterThanTheSourceInTheModelAndTheFirstIsTheFastest) {
  BoundRequest request;
  request.file = REDBLUE_SOURCE_DIR "/kernels/doitgen.c";
  const program::Program program = frontend::read(request);
  const program::Sizes sizes = {{"NQ", 140}, {"NR", 150}, {"NP", 160}};
  const schedule::codegen::Orders orders(program, sizes, {1 << 17, 64});
  const auto best = orders.best(3);
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best.front().choice, orders.fastest()->choice);
  for (std::size_t n = 1; n < best.size(); ++n) {
    EXPECT_LE(best[n - 1].cycles, best[n].cycles);
    EXPECT_LT(best[n].cycles, 2 * best.front().cycles);
    EXPECT_FALSE(best[n].choice == best[n - 1].choice);
  }
}

TEST(Search, ChoicesComeBackFromText) {
  const Choice choice{3, 32, {{{}, 1, {0, 32}}, {BlockSizes{4, 12, 384, 0, 128}, 2}, {{}, 0}}};
  EXPECT_EQ(schedule::codegen::choice_from(text(choice)), choice) << text(choice);
  const Choice diagonal{0, 64, {{{}, 1, {0, 8}, 0}}};
  EXPECT_EQ(schedule::codegen::choice_from(text(diagonal)), diagonal) << text(diagonal);
  EXPECT_EQ(schedule::codegen::choice_from("source"), Choice{});
  for (const std::string bad : {"", "loops", "loops 1", "loops 1, vectors 64; inner x", "noise"})
    EXPECT_FALSE(schedule::codegen::choice_from(bad)) << bad;
}

TEST(Search, RemembersForOneKey) {
  const std::string folder = temporary_folder() + "redblue_kept";
  std::filesystem::remove_all(folder);
  const Choice choice{1, 64, {{{}, 0, {16, 0}}}};
  EXPECT_FALSE(measure_detail::remembered(folder, "key"));
  EXPECT_EQ(measure_detail::remember(folder, "key", choice), "");
  EXPECT_EQ(measure_detail::remembered(folder, "key"), choice);
  EXPECT_FALSE(measure_detail::remembered(folder, "another key"));
  EXPECT_NE(measure_detail::remember("/dev/null/nowhere", "key", choice), "");
}

// Tiles for a cache that nobody has.
TEST(Search, IsNoWorseThanTheModelAndBeginsThereAgain) {
  MeasureRequest request;
  request.code.program.file = turned();
  request.code.program.sizes = {{"n", 1500}};
  request.code.processor.cache_bytes = 1 << 12;
  request.repetitions = 1;
  request.search_seconds = 2;
  request.search_folder = temporary_folder() + "redblue_found";
  std::filesystem::remove_all(request.search_folder);
  const Measurement m = measure(request);
  ASSERT_TRUE(m.search);
  EXPECT_FALSE(m.remembered);
  EXPECT_TRUE(m.same_results) << m.first_difference;
  EXPECT_GT(m.search->tried, 0);
  EXPECT_LE(m.search->best_seconds, m.search->model_seconds);
  EXPECT_TRUE(m.search->other_bits.empty());
  request.search_seconds = 0;
  const Measurement again = measure(request);
  EXPECT_TRUE(again.remembered);
  EXPECT_FALSE(again.search);
  request.code.program.sizes = {{"n", 1400}};
  EXPECT_FALSE(measure(request).remembered);
}

}  // namespace
}  // namespace redblue::test
