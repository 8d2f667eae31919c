// SPDX-License-Identifier: BSD-3-Clause
// Compares programs as people write them with their plain form.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "redblue/analysis.hpp"
#include "redblue/pebble.hpp"
#include "temporary_folder.hpp"

namespace redblue {

using SizeMap = std::map<std::string, std::int64_t>;

inline std::string file_with(const std::string& source, const std::string& name,
                             const std::string& ending = ".c") {
  const std::string path = test::temporary_folder() + "redblue_idiom_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                           name + ending;
  std::ofstream(path) << source;
  return path;
}

// What each vertex reads, in the order of the program: the same for two programs that compute the
// same values in the same order. Inputs are numbered as they are first read.
inline std::vector<std::vector<int>> operands_in_order(const std::string& path,
                                                       const SizeMap& sizes) {
  const cdag::Graph graph = cdag::source_graph({path, "", {}, sizes});
  std::map<cdag::Vertex, int> number;
  std::vector<std::vector<int>> result;
  for (const cdag::Vertex v : cdag::natural_order(graph)) {
    std::vector<int> operands;
    for (const cdag::Vertex o : graph.operands(v))
      operands.push_back(number.emplace(o, static_cast<int>(number.size())).first->second);
    std::sort(operands.begin(), operands.end());
    number.emplace(v, static_cast<int>(number.size()));
    result.push_back(operands);
  }
  return result;
}

inline void expect_same(const std::string& plain, const std::string& written,
                        const std::vector<SizeMap>& at, const std::string& ending = ".c") {
  const std::string a = file_with(plain, "plain"), b = file_with(written, "written", ending);
  for (const SizeMap& sizes : at) {
    const auto values = operands_in_order(a, sizes);
    EXPECT_FALSE(values.empty());
    EXPECT_EQ(values, operands_in_order(b, sizes)) << written;
  }
}

// The same where the sizes have other names in the program as written.
inline void expect_same(const std::string& plain, const SizeMap& plain_sizes,
                        const std::string& written, const SizeMap& written_sizes,
                        const std::string& ending) {
  const auto values = operands_in_order(file_with(plain, "plain"), plain_sizes);
  EXPECT_FALSE(values.empty());
  EXPECT_EQ(values, operands_in_order(file_with(written, "written", ending), written_sizes))
      << written;
}

inline std::string best_formula(const std::string& source, const std::string& ending = ".c") {
  const BoundReport report = lower_bounds({file_with(source, "bound", ending), "", {}, {}});
  return report.bounds[report.best].leading.text();
}

}  // namespace redblue
