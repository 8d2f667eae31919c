// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "redblue/cdag.hpp"
#include "redblue/error.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

std::string in_temp(const std::string& name, const std::string& text) {
  const std::string path = temporary_folder() + name;
  std::ofstream(path) << text;
  return path;
}

std::string complaint(const std::string& description) {
  try {
    make_graph(description);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Graph, OperandsComeFirstAndReadersAreTheirInverse) {
  for (const char* description :
       {"matmul:3,4,5", "lu:6", "cholesky:6", "trsv:7", "fft:16", "stencil:3,5,4", "stencil:2,9:r3",
        "stencil:2,5,5:box", "cg:3,4,2", "gmres:3,3,1", "tree:13,3", "diamond:4,7", "pyramid:5",
        "random:50,3,7"}) {
    const Graph graph = make_graph(description);
    std::int64_t back = 0;
    for (Vertex v = 0; v < graph.size(); ++v) {
      for (const Vertex o : graph.operands(v)) {
        EXPECT_LT(o, v);
        const auto readers = graph.readers(o);
        EXPECT_NE(std::find(readers.begin(), readers.end(), v), readers.end());
      }
      back += static_cast<std::int64_t>(graph.readers(v).size());
      EXPECT_EQ(graph.find(graph.name(v)), v);
    }
    EXPECT_EQ(back, graph.edges()) << description;
  }
}

// Counts that follow from the algorithms.
TEST(Graph, GeneratorsHaveTheRightSizes) {
  const auto computed = [](const Graph& g) { return g.size() - g.inputs(); };
  EXPECT_EQ(computed(make_graph("matmul:3,4,5")), 60);
  EXPECT_EQ(make_graph("matmul:3,4,5").outputs(), 12);
  EXPECT_EQ(computed(make_graph("lu:6")), 15 + 55);            // divisions + updates
  EXPECT_EQ(computed(make_graph("cholesky:6")), 6 + 15 + 35);  // roots + divisions + updates
  EXPECT_EQ(computed(make_graph("trsv:7")), 21 + 7);
  EXPECT_EQ(computed(make_graph("fft:16")), 64);
  EXPECT_EQ(make_graph("stencil:3,5,4").edges(), 3 * (20 + 2 * (4 * 4 + 5 * 3)));
  EXPECT_EQ(make_graph("stencil:2,5,5:box").most_operands(), 9);
  EXPECT_EQ(make_graph("stencil:2,9:r3").most_operands(), 7);
  EXPECT_EQ(computed(make_graph("tree:13,3")), 5 + 2 + 1);
  EXPECT_EQ(computed(make_graph("pyramid:5")), 15);
  EXPECT_EQ(computed(make_graph("cg:3,4,2")), 16 + 3 * (16 * 6 + 2));
}

TEST(Graph, FilesRoundTrip) {
  const Graph graph = make_graph("lu:4");
  const std::string edges = in_temp("lu.edges", to_edges(graph));
  const std::string dot = in_temp("lu.dot", to_dot(graph));
  for (const std::string& path : {edges, dot}) {
    const Graph again = make_graph(path);
    ASSERT_EQ(again.size(), graph.size());
    EXPECT_EQ(again.edges(), graph.edges());
    for (Vertex v = 0; v < graph.size(); ++v) {
      const Vertex u = again.find(graph.name(v));
      EXPECT_EQ(again.input(u), graph.input(v));
      EXPECT_EQ(again.output(u), graph.output(v));
      std::set<std::string> mine, theirs;
      for (const Vertex o : graph.operands(v)) mine.insert(graph.name(o));
      for (const Vertex o : again.operands(u)) theirs.insert(again.name(o));
      EXPECT_EQ(mine, theirs);
    }
  }
}

TEST(Graph, FilesWithoutTagsTakeSourcesAndSinks) {
  const Graph graph = make_graph(in_temp("plain.gv", "digraph { a -> b -> c; a -> c; d -> c }"));
  EXPECT_TRUE(graph.input(graph.find("a")) && graph.input(graph.find("d")));
  EXPECT_TRUE(graph.output(graph.find("c")));
  EXPECT_FALSE(graph.input(graph.find("b")) || graph.output(graph.find("b")));
}

TEST(Graph, BadFilesAreNamed) {
  EXPECT_NE(complaint(in_temp("c.edges", "a b\nb c\nc a\n")).find("the cycle a -> b -> c -> a"),
            std::string::npos)
      << complaint(in_temp("c.edges", "a b\nb c\nc a\n"));
  EXPECT_NE(complaint(in_temp("c.dot", "digraph { x -> y; y -> x; z -> x }")).find("cycle"),
            std::string::npos);
  EXPECT_NE(complaint(in_temp("l.edges", "a b\na b c\n")).find("l.edges:2"), std::string::npos);
  EXPECT_NE(complaint(in_temp("t.dot", "digraph { a [tag=red]; }")).find("'red'"),
            std::string::npos);
  EXPECT_NE(complaint(in_temp("u.dot", "graph { a -- b }")).find("undirected"), std::string::npos);
  EXPECT_NE(complaint(in_temp("s.dot", "digraph { a -> ")).find("no Graphviz file"),
            std::string::npos);
  EXPECT_NE(complaint(in_temp("i.edges", "a b\ninput b\n")).find("has operands"),
            std::string::npos);
  EXPECT_NE(complaint("none.dot").find("cannot be read"), std::string::npos);
}

TEST(Graph, BadDescriptionsAreNamed) {
  for (const char* bad :
       {"matmul:2,2", "matmul:2,x,2", "matmul:0,1,1", "fft:6", "nothing:3", "matmul", "stencil:3",
        "stencil:3,4:rx", "tree:5,1", "cg:1,4,9", "matmul:100000,100000,10"}) {
    EXPECT_NE(complaint(bad).find(std::string("graph '") + bad + "'"), std::string::npos) << bad;
  }
}

TEST(Graph, PicturesShowPebbles) {
  const Graph graph = make_graph("diamond:2,2");
  Pebbles pebbles;
  pebbles.red = {true, false, false, false};
  pebbles.blue = {true, false, false, true};
  const std::string svg = to_svg(graph, pebbles);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("v(1,1)"), std::string::npos);
  EXPECT_NE(svg.find("#e06c5a"), std::string::npos);
  EXPECT_NE(svg.find("#2b6cb0"), std::string::npos);
}

TEST(Graph, InducedAndRetagged) {
  const Graph graph = make_graph("diamond:3,3");
  std::vector<Vertex> old_of;
  const Graph part =
      graph.induced([&graph](Vertex v) { return graph.coordinates(v)[0] > 0; }, &old_of);
  ASSERT_EQ(part.size(), 6);
  EXPECT_EQ(part.inputs(), 0);
  EXPECT_EQ(part.name(0), "v(1,0)");
  EXPECT_EQ(old_of[5], 8);
  EXPECT_EQ(part.edges(), graph.edges() - 2 - 3);
  const Graph tagged =
      graph.retagged([](Vertex) { return false; }, [](Vertex v) { return v == 4; });
  EXPECT_EQ(tagged.inputs(), 0);
  EXPECT_EQ(tagged.outputs(), 1);
}

}  // namespace
}  // namespace redblue::test
