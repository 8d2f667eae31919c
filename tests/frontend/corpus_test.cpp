// SPDX-License-Identifier: BSD-3-Clause
// The programs of tests/programs/corpus are read, or refused with the line that its TABLE says; of
// some the bound stands beside the derived leading term. bench/corpus compares all of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "frontend/read.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

const std::string folder = REDBLUE_SOURCE_DIR "/tests/programs/corpus/";

struct Row {
  std::string name, function, expected;
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<Row> rows() {
  std::vector<Row> result;
  std::ifstream in(folder + "TABLE");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t first = line.find('|'), second = line.find('|', first + 1);
    result.push_back({trimmed(line.substr(0, first)),
                      trimmed(line.substr(first + 1, second - first - 1)),
                      trimmed(line.substr(second + 1))});
  }
  return result;
}

BoundRequest request_of(const Row& row) {
  const std::string einsum = "einsum:";
  if (row.name.starts_with(einsum))
    return {"", "", {}, {}, 1, row.name.substr(einsum.size()), {}, {}};
  return {folder + row.name, row.function, {}, {}};
}

TEST(Corpus, ProgramsAreReadOrRefusedAsTheTableSays) {
  int read = 0, refused = 0;
  for (const Row& row : rows()) {
    const std::string mark = "refused: ";
    const bool refusal = row.expected.starts_with(mark);
    try {
      const program::Program program = frontend::read(request_of(row));
      EXPECT_FALSE(refusal) << row.name << " is read";
      EXPECT_FALSE(program.statements.empty()) << row.name;
      ++read;
    } catch (const Error& e) {
      EXPECT_TRUE(refusal) << row.name << ": " << e.what();
      const std::string wanted = refusal ? row.expected.substr(mark.size()) : "";
      EXPECT_NE(std::string(e.what()).find(wanted), std::string::npos) << e.what();
      ++refused;
    }
  }
  EXPECT_GE(read, 65);
  EXPECT_GE(refused, 10);
}

TEST(Corpus, EveryProgramHasARow) {
  std::set<std::string> named;
  for (const Row& row : rows()) named.insert(row.name);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    EXPECT_TRUE(name == "TABLE" || named.count(name) == 1) << name;
  }
}

TEST(Corpus, BoundsStandBesideTheDerivedTerms) {
  const std::set<std::string> some = {"gemm_temporaries.c", "gemm_matrix_class.cpp", "transpose.c",
                                      "syrk_class.cpp", "particles.c"};
  std::size_t compared = 0;
  for (const Row& row : rows()) {
    if (some.count(row.name) == 0) continue;
    const std::size_t times = row.expected.find(" x "), colon = row.expected.find(':');
    ASSERT_NE(times, std::string::npos) << row.name;
    const BoundReport report = lower_bounds(request_of(row));
    std::map<std::string, double> sizes = {{"S", 1e6}};
    double size = 1e9;
    for (const std::string& p : report.parameters) sizes[p] = size *= 1.1;
    const double derived = Formula(row.expected.substr(times + 3, colon - times - 3)).at(sizes);
    const double ours = report.bounds[report.best].leading.at(sizes);
    EXPECT_GE(ours, std::stod(row.expected.substr(0, times)) * derived * (1 - 1e-3)) << row.name;
    EXPECT_LE(ours, derived * (1 + 1e-3)) << row.name;
    ++compared;
  }
  EXPECT_EQ(compared, some.size());
}

}  // namespace
}  // namespace redblue
