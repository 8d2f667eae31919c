// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "redblue/error.hpp"
#include "redblue/pebble.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

std::string fault(const Graph& graph, const Game& game, const std::vector<Move>& moves) {
  try {
    play(graph, game, moves);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::vector<Move> moves(const std::vector<std::pair<Rule, Vertex>>& list) {
  std::vector<Move> result;
  for (const auto& [rule, v] : list) result.push_back({rule, 1, 0, v});
  return result;
}

// diamond:2,2 is 0 -> 1, 2 -> 3.
const std::vector<std::pair<Rule, Vertex>> diamond_game{{Rule::load, 0},    {Rule::compute, 1},
                                                        {Rule::compute, 2}, {Rule::erase, 0},
                                                        {Rule::compute, 3}, {Rule::store, 3}};

TEST(Games, ACompleteGameIsCounted) {
  const Graph graph = make_graph("diamond:2,2");
  const Tally tally = play(graph, red_blue_white(3), moves(diamond_game));
  EXPECT_EQ(tally.loads, 1);
  EXPECT_EQ(tally.stores, 1);
  EXPECT_EQ(tally.computed, 3);
  EXPECT_EQ(tally.units[0][0].most_words, 3);
}

TEST(Games, EveryRuleIsChecked) {
  const Graph graph = make_graph("diamond:2,2");
  const auto broken = [&](std::vector<std::pair<Rule, Vertex>> list, const Game& game) {
    return fault(graph, game, moves(list));
  };
  EXPECT_NE(broken(diamond_game, red_blue_white(2)).find("move 3 (compute v(1,0)): all 2 words"),
            std::string::npos);
  EXPECT_NE(broken({{Rule::load, 1}}, red_blue(3)).find("not in slow memory"), std::string::npos);
  EXPECT_NE(broken({{Rule::store, 0}}, red_blue(3)).find("not in fast memory"), std::string::npos);
  EXPECT_NE(broken({{Rule::erase, 0}}, red_blue(3)).find("not in fast memory"), std::string::npos);
  EXPECT_NE(broken({{Rule::compute, 1}}, red_blue(3)).find("operand v(0,0)"), std::string::npos);
  EXPECT_NE(broken({{Rule::compute, 0}}, red_blue(3)).find("inputs are loaded"), std::string::npos);
  const std::vector<std::pair<Rule, Vertex>> twice{
      {Rule::load, 0}, {Rule::compute, 1}, {Rule::erase, 1}, {Rule::compute, 1}};
  EXPECT_NE(
      broken(twice, red_blue_white(3)).find("move 4 (compute v(0,1)): it was computed before"),
      std::string::npos);
  EXPECT_NE(broken(twice, red_blue(3)).find("the end after move 4: output v(1,1)"),
            std::string::npos);
  EXPECT_NE(fault(graph, red_blue(3), {{Rule::load, 1, 0, 9}}).find("move 1: no such vertex"),
            std::string::npos);
  EXPECT_NE(fault(graph, red_blue(3), {{Rule::load, 2, 0, 0}}).find("no such level"),
            std::string::npos);
  EXPECT_NE(fault(graph, red_blue(3), {{Rule::get, 1, 0, 0}}).find("only units of the top"),
            std::string::npos);
}

TEST(Games, ValuesNobodyNeedsAreComputedInEveryGame) {
  Builder builder(1);
  const auto family = builder.family("v");
  const Vertex a = builder.input(family, {});
  const Vertex b = builder.compute(std::array{a}, family, std::array{1});
  builder.compute(std::array{a}, family, std::array{2});
  builder.output(b);
  const Graph graph = builder.finish(false);
  const auto game = moves({{Rule::load, a}, {Rule::compute, b}, {Rule::store, b}});
  for (const Game& rules : {red_blue(2), red_blue_white(2), parallel_red_blue(2, 2)})
    EXPECT_NE(fault(graph, rules, game).find("v(2) was never computed"), std::string::npos);
}

TEST(Games, ProcessorsShareNothingInTheParallelGame) {
  const Graph graph = make_graph("diamond:2,2");
  const std::vector<Move> list{{Rule::load, 1, 0, 0},    {Rule::load, 1, 1, 0},
                               {Rule::compute, 1, 0, 1}, {Rule::compute, 1, 1, 2},
                               {Rule::get, 1, 0, 2},     {Rule::compute, 1, 0, 3},
                               {Rule::store, 1, 0, 3}};
  const Tally tally = play(graph, parallel_red_blue(4, 2), list);
  EXPECT_EQ(tally.moved(), 4);
  EXPECT_EQ(tally.gets, 1);
  EXPECT_EQ(tally.units[0][0].in, 2);
  EXPECT_EQ(tally.units[0][1].in, 1);
  EXPECT_EQ(tally.units[0][1].computed, 1);
  std::vector<Move> without = list;
  without.erase(without.begin() + 4);
  EXPECT_NE(fault(graph, parallel_red_blue(4, 2), without).find("operand v(1,0) is not in fast"),
            std::string::npos);
}

TEST(Games, LevelsAreClimbedOneByOne) {
  const Graph graph = make_graph("diamond:2,2");
  const Game game = hierarchical({{3, 2}, {4, 1}});
  const std::vector<Move> list{
      {Rule::load, 2, 0, 0},    {Rule::up, 1, 0, 0},      {Rule::up, 1, 1, 0},
      {Rule::compute, 1, 0, 1}, {Rule::compute, 1, 1, 2}, {Rule::down, 2, 0, 2},
      {Rule::up, 1, 0, 2},      {Rule::erase, 1, 0, 0},   {Rule::compute, 1, 0, 3},
      {Rule::down, 2, 0, 3},    {Rule::store, 2, 0, 3}};
  const Tally tally = play(graph, game, list);
  EXPECT_EQ(tally.loads, 1);
  EXPECT_EQ(tally.units[0][0].in, 2);
  EXPECT_EQ(tally.units[0][1].in, 1);
  EXPECT_EQ(tally.units[0][1].out, 1);
  EXPECT_EQ(tally.units[0][0].out, 1);
  EXPECT_NE(fault(graph, game, {{Rule::load, 1, 0, 0}}).find("only the top level loads"),
            std::string::npos);
  EXPECT_NE(fault(graph, game, {{Rule::up, 1, 0, 0}}).find("its parent unit does not hold"),
            std::string::npos);
  EXPECT_NE(fault(graph, game, {{Rule::down, 2, 0, 0}}).find("no child unit holds it"),
            std::string::npos);
  EXPECT_THROW(hierarchical({{3, 3}, {4, 2}}), Error);
  EXPECT_THROW(hierarchical({}), Error);
}

// Any order with any owners, on machines of several shapes: legal, and every level carries at
// least what the pebble game with the memory below it must (Elango et al., Theorem 5).
TEST(Games, HierarchicalPebblingsAreLegalAndNotBelowTheVerticalBound) {
  const std::vector<std::vector<Level>> machines{
      {{4, 1}, {9, 1}}, {{4, 2}, {8, 1}}, {{4, 4}, {7, 2}, {20, 1}}, {{5, 4}, {9, 2}}, {{4, 3}}};
  for (const char* description :
       {"matmul:3,2,2", "fft:8", "cholesky:4", "diamond:5,5", "stencil:3,6"}) {
    const Graph graph = make_graph(description);
    const Order order = natural_order(graph);
    for (const auto& levels : machines) {
      const Game game = hierarchical(levels);
      std::vector<int> owner(static_cast<std::size_t>(graph.size()), 0);
      for (std::size_t i = 0; i < order.size(); ++i) {
        owner[static_cast<std::size_t>(order[i])] =
            static_cast<int>(i * static_cast<std::size_t>(levels[0].units) / order.size());
      }
      const Pebbling pebbling = hierarchical_pebbling(graph, order, owner, game);
      const Tally tally = play(graph, game, pebbling.moves);
      EXPECT_EQ(tally.computed, static_cast<std::int64_t>(order.size()));
      for (std::size_t l = 0; l < levels.size(); ++l) {
        std::int64_t crossed = 0;
        for (const UnitTraffic& u : tally.units[l]) crossed += u.in + u.out;
        const std::int64_t pooled = levels[l].words * levels[l].units;
        EXPECT_GE(crossed, optimal_pebbling(graph, pooled).lower)
            << description << " level " << l + 1;
      }
    }
  }
}

TEST(Games, FilesRoundTrip) {
  const Graph graph = make_graph("fft:8");
  const Game game = hierarchical({{4, 2}, {12, 1}});
  const Pebbling pebbling =
      hierarchical_pebbling(graph, natural_order(graph),
                            std::vector<int>(static_cast<std::size_t>(graph.size()), 1), game);
  const std::string path = temporary_folder() + "fft.pebbling";
  std::ofstream out(path);
  write_pebbling(out, graph, {"fft:8", game, pebbling.moves});
  out.close();
  EXPECT_EQ(graph_of_pebbling(path), "fft:8");
  const Pebbling again = read_pebbling(path, graph);
  EXPECT_EQ(again.moves, pebbling.moves);
  EXPECT_EQ(again.game.levels.size(), 2U);
  EXPECT_EQ(again.game.levels[0].units, 2);
}

std::string read_complaint(const std::string& text) {
  const std::string path = temporary_folder() + "bad.pebbling";
  std::ofstream(path) << text;
  try {
    read_pebbling(path, make_graph("diamond:2,2"));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Games, BadFilesAreNamedByLine) {
  const std::string head = "graph diamond:2,2\ngame red-blue\nlevel 3 words 1 units\n";
  EXPECT_EQ(read_complaint(head + "load v(0,0)\n"), "");
  EXPECT_NE(read_complaint(head + "load w\n").find("bad.pebbling:4: the graph has no vertex 'w'"),
            std::string::npos);
  EXPECT_NE(read_complaint(head + "push v(0,0)\n").find(":4: 'push' is no move"),
            std::string::npos);
  EXPECT_NE(read_complaint(head + "load v(0,0) 1.0\n").find(":4: '1.0' is no unit"),
            std::string::npos);
  EXPECT_NE(read_complaint("game chess\n").find(":1: no such game"), std::string::npos);
  EXPECT_NE(read_complaint("game red-blue\nlevel 3\n").find(":2: a level is missing"),
            std::string::npos);
  EXPECT_NE(read_complaint("game red-blue\n").find("no game or no level"), std::string::npos);
}

// Level by level, on two and three levels, and on graphs with inputs that nobody reads: what moves
// is not below the bound, which is met where all fits.
TEST(Games, HierarchicalBoundsHoldAtEveryLevel) {
  int compared = 0, above_compulsory = 0;
  for (const char* description : {"matmul:3,3,3", "lu:5", "cg:2,3,2", "diamond:6,6", "fft:8",
                                  "random:20,2,1", "random:20,2,2", "random:30,3,3"}) {
    const Graph graph = make_graph(description);
    const std::int64_t least = graph.most_operands() + 1;
    for (const std::vector<Level>& levels :
         {std::vector<Level>{{least, 4}, {200, 1}},
          std::vector<Level>{{least, 4}, {least + 4, 2}, {300, 1}},
          std::vector<Level>{{least, 1}, {least + 2, 1}, {300, 1}}}) {
      const Game game = hierarchical(levels);
      const std::vector<std::int64_t> bounds = hierarchical_bounds(graph, game);
      ASSERT_EQ(bounds.size(), levels.size());
      const Order order = natural_order(graph);
      std::vector<int> owner(static_cast<std::size_t>(graph.size()), 0);
      for (std::size_t i = 0; i < order.size(); ++i) {
        owner[static_cast<std::size_t>(order[i])] =
            static_cast<int>(i * static_cast<std::size_t>(levels.front().units) / order.size());
      }
      const Tally tally = play(graph, game, hierarchical_pebbling(graph, order, owner, game).moves);
      for (std::size_t l = 0; l < levels.size(); ++l) {
        std::int64_t moved = 0;
        for (const UnitTraffic& unit : tally.units[l]) moved += unit.in + unit.out;
        EXPECT_LE(bounds[l], moved) << description << " level " << l + 1;
        ++compared;
      }
      above_compulsory += bounds.front() > bounds.back() ? 1 : 0;
    }
  }
  EXPECT_EQ(compared, 8 * (2 + 3 + 3));
  EXPECT_GT(above_compulsory, 0);
  const Graph graph = make_graph("matmul:2,2,2");
  EXPECT_EQ(hierarchical_bounds(graph, hierarchical({{100, 1}, {200, 1}})),
            (std::vector<std::int64_t>{12, 12}));
  EXPECT_THROW(hierarchical_bounds(graph, hierarchical({{2, 1}, {200, 1}})), Error);
  EXPECT_THROW(hierarchical_bounds(graph, red_blue(8)), Error);
}

}  // namespace
}  // namespace redblue::test
