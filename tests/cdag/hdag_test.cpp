// SPDX-License-Identifier: BSD-3-Clause
// HyperDAG_DB's files.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "redblue/cdag.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

std::string in_temp(const std::string& text) {
  const std::string path = temporary_folder() + "graph.hdag";
  std::ofstream(path) << text;
  return path;
}

std::string complaint(const std::string& text) {
  try {
    make_graph(in_temp(text));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// y = A x for a 2 x 2 matrix whose element (0, 1) is zero: 3 products, 2 sums; numbers of nodes as
// they come, weights, a header, a version and comments at line ends.
const std::string product =
    "%%MatrixMarket matrix coordinate pattern general\n% HyperDAG file format v1\n% y = A x\n"
    "8 10 18 % hyperedges nodes pins\n"
    "0 1\n1 1\n2 1\n3 1\n4 1\n5 1\n6 1\n7 1\n"
    "0 0\n1 0\n2 0\n3 0\n4 0\n5 1 %a product\n6 1\n7 1\n8 1\n9 1\n"
    "0 0\n0 5\n1 1\n1 6\n2 2\n2 7\n3 3\n3 5\n3 6\n4 4\n4 7\n5 5\n5 8\n6 6\n6 9\n7 7\n7 9 7 %w\n7 "
    "8\n";

TEST(Hdag, IsReadAsTheGraphItSays) {
  const Graph graph = make_graph(in_temp(product));
  EXPECT_EQ(graph.size(), 10);
  EXPECT_EQ(graph.edges(), 18 - 8);
  EXPECT_EQ(graph.inputs(), 5);
  EXPECT_EQ(graph.outputs(), 2);
  std::ofstream(temporary_folder() + "same.edges")
      << "0 5\n1 6\n2 7\n3 5\n3 6\n4 7\n5 8\n6 9\n7 9\n7 8\n";
  const Graph same = make_graph(temporary_folder() + "same.edges");
  for (Vertex v = 0; v < graph.size(); ++v) {
    std::vector<std::string> operands, expected;
    for (const Vertex o : graph.operands(v)) operands.push_back(graph.name(o));
    for (const Vertex o : same.operands(same.find(graph.name(v)))) expected.push_back(same.name(o));
    std::sort(operands.begin(), operands.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(operands, expected) << graph.name(v);
  }
  EXPECT_EQ(optimal_pebbling(graph, 4).upper, optimal_pebbling(same, 4).upper);
}

TEST(Hdag, ANodeOutsideAllHyperedgesIsNoEdge) {
  const Graph graph = make_graph(in_temp("1 3 2\n0\n0\n1\n2\n0 2\n0 0\n"));
  EXPECT_EQ(graph.size(), 3);
  EXPECT_EQ(graph.edges(), 1);
  EXPECT_TRUE(graph.input(graph.find("2")));
}

TEST(Hdag, RefusesWhatIsNone) {
  EXPECT_NE(complaint("").find("hyperedges, nodes and pins"), std::string::npos);
  EXPECT_NE(complaint("1 2\n").find(":1: "), std::string::npos);
  EXPECT_NE(complaint("1 2 x\n").find("'x' is no number"), std::string::npos);
  EXPECT_NE(complaint("1 2 2\n0\n0\n0\n0 0\n0 1\n").find("node 0 is listed twice"),
            std::string::npos);
  EXPECT_NE(complaint("1 2 2\n0\n0\n1\n0 0\n").find("the file ends"), std::string::npos);
  EXPECT_NE(complaint("1 2 2\n0\n0\n1\n0 0\n1 1\n").find("hyperedge 1 of 1"), std::string::npos);
  EXPECT_NE(complaint("1 2 2\n0\n0\n1\n0 0\n0 0\n").find("reads itself"), std::string::npos);
  EXPECT_NE(complaint("2 2 4\n0\n1\n0\n1\n0 0\n0 1\n1 1\n1 0\n").find("cycle"), std::string::npos);
  EXPECT_NE(complaint("1 -2 2\n").find("is no number"), std::string::npos);
  EXPECT_NE(complaint("1 99999999999 2\n").find("more than"), std::string::npos);
}

}  // namespace
}  // namespace redblue::test
