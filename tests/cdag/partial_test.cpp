// SPDX-License-Identifier: BSD-3-Clause
// The partial game: its rules, its optima against shortest paths over all boards, and what of the
// other games' bounds holds in it.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <deque>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <tuple>

#include "redblue/error.hpp"
#include "redblue/pebble.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

using Board = std::tuple<unsigned, unsigned, unsigned>;  // edges taken, red, blue

// The optimum by 0-1 breadth first over all boards and all moves, as the rules say: nothing is done
// early, nothing is left out. Graphs of some 8 vertices without values made from nothing.
class Boards {
 public:
  Boards(const Graph& graph, int s) : graph_(graph), s_(s) {
    for (Vertex v = 0; v < graph.size(); ++v) {
      for (const Vertex o : graph.operands(v)) edges_.emplace_back(o, v);
    }
  }

  std::int64_t optimum() {
    unsigned inputs = 0;
    for (Vertex v = 0; v < graph_.size(); ++v) inputs |= graph_.input(v) ? 1U << v : 0;
    reach({0, 0, inputs}, 0, true);
    while (!waiting_.empty()) {
      const Board board = waiting_.front();
      waiting_.pop_front();
      const std::int64_t cost = cost_[board];
      if (done(board)) return cost;
      moves(board, cost);
    }
    return -1;
  }

 private:
  void reach(const Board& board, std::int64_t cost, bool free) {
    const auto known = cost_.find(board);
    if (known != cost_.end() && known->second <= cost) return;
    cost_[board] = cost;
    if (free)
      waiting_.push_front(board);
    else
      waiting_.push_back(board);
  }

  bool complete(unsigned taken, Vertex v) const {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].second == v && (taken >> e & 1) == 0) return false;
    }
    return true;
  }

  bool all_read(unsigned taken, Vertex v) const {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].first == v && (taken >> e & 1) == 0) return false;
    }
    return true;
  }

  bool begun(unsigned taken, Vertex v) const {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].second == v && (taken >> e & 1) != 0) return true;
    }
    return false;
  }

  bool done(const Board& board) const {
    const auto& [taken, red, blue] = board;
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (!complete(taken, v) || (graph_.output(v) && (blue >> v & 1) == 0)) return false;
    }
    return true;
  }

  void moves(const Board& board, std::int64_t cost) {
    const auto [taken, red, blue] = board;
    const bool room = std::popcount(red) < s_;
    for (Vertex v = 0; v < graph_.size(); ++v) {
      const unsigned b = 1U << v;
      if ((red & b) == 0 && (blue & b) != 0 && room) reach({taken, red | b, blue}, cost + 1, false);
      if ((red & b) != 0 && (blue & b) == 0) reach({taken, red, blue | b}, cost + 1, false);
      const bool safe = (blue & b) != 0 || (complete(taken, v) && all_read(taken, v));
      if ((red & b) != 0 && safe) reach({taken, red & ~b, blue}, cost, true);
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const auto [from, to] = edges_[e];
      const unsigned b = 1U << to;
      if ((taken >> e & 1) != 0 || (red >> from & 1) == 0 || !complete(taken, from)) continue;
      if ((red & b) == 0 && (begun(taken, to) || !room)) continue;
      reach({taken | 1U << e, red | b, blue & ~b}, cost, true);
    }
  }

  const Graph& graph_;
  int s_;
  std::vector<std::pair<Vertex, Vertex>> edges_;
  std::map<Board, std::int64_t> cost_;
  std::deque<Board> waiting_;
};

ExactOptions to_the_end() {
  ExactOptions options;
  options.seconds = std::numeric_limits<double>::infinity();
  return options;
}

Exact solved(const Graph& graph, std::int64_t s) {
  const Exact exact = optimal_partial_pebbling(graph, s, to_the_end());
  EXPECT_EQ(play(graph, exact.pebbling.game, exact.pebbling.moves).moved(), exact.upper);
  EXPECT_TRUE(exact.proved());
  return exact;
}

TEST(Partial, EqualsShortestPathsOverAllBoards) {
  int compared = 0, cheaper = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    const Graph graph =
        make_graph((seed % 2 == 0 ? "random:8,2," : "random:7,3,") + std::to_string(seed));
    for (int s = 2; s <= 4; ++s) {
      const std::int64_t best = solved(graph, s).upper;
      EXPECT_EQ(best, Boards(graph, s).optimum()) << "seed " << seed << " S " << s;
      ++compared;
      if (s <= graph.most_operands()) continue;
      const Exact whole = optimal_pebbling(graph, s, to_the_end());
      EXPECT_LE(best, whole.upper) << "seed " << seed << " S " << s;
      cheaper += best < whole.upper ? 1 : 0;
    }
  }
  EXPECT_EQ(compared, 180);
  EXPECT_GT(cheaper, 0);
}

// A matrix times a vector, products and sums as vertices: with m + 3 words partial sums of m rows
// stay while columns pass, so nothing moves but what must; without partial sums m - 1 words more
// move at least [papp2025, Proposition 4.3].
Graph matrix_vector(int m) {
  std::ostringstream text;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      const std::string p = "p" + std::to_string(i) + std::to_string(j);
      text << "A" << i << j << ' ' << p << "\nx" << j << ' ' << p << '\n' << p << " y" << i << '\n';
    }
  }
  const std::string path = temporary_folder() + "matrix_vector.edges";
  std::ofstream(path) << text.str();
  return make_graph(path);
}

TEST(Partial, MatrixTimesVector) {
  const Graph graph = matrix_vector(3);
  EXPECT_EQ(solved(graph, 6).upper, 9 + 3 + 3);
  const Exact whole = optimal_pebbling(graph, 6, to_the_end());
  EXPECT_TRUE(whole.proved());
  EXPECT_GE(whole.upper, 9 + 3 * 3 - 1);
}

// Two words are enough for any graph, as operands leave after they entered.
TEST(Partial, TwoWordsAreEnough) {
  const Graph graph = make_graph("tree:9,9");
  EXPECT_EQ(solved(graph, 2).upper, 10);
  EXPECT_THROW(optimal_partial_pebbling(graph, 1), Error);
  EXPECT_THROW(optimal_partial_pebbling(make_graph("matmul:4,4,4"), 8), Error);
}

// Compulsory traffic is a bound of the partial game, and met by some; other bounds are of games in
// which more moves.
TEST(Partial, CompulsoryTrafficIsABound) {
  int graphs = 0, met = 0, less = 0;
  for (const char* shape : {"random:12,3,", "random:14,4,"}) {
    for (int seed = 1; seed <= 25; ++seed) {
      const Graph graph = make_graph(shape + std::to_string(seed));
      if (graph.edges() > 40) continue;
      for (std::int64_t s = graph.most_operands() + 1; s <= graph.most_operands() + 2; ++s) {
        ExactOptions some;
        some.seconds = std::numeric_limits<double>::infinity();
        some.states = 100'000;
        const Exact exact = optimal_partial_pebbling(graph, s, some);
        EXPECT_EQ(play(graph, exact.pebbling.game, exact.pebbling.moves).moved(), exact.upper);
        EXPECT_LE(partial_bound(graph), exact.upper) << shape << seed << " S " << s;
        met += partial_bound(graph) == exact.upper ? 1 : 0;
        less += exact.upper < optimal_pebbling(graph, s, some).lower ? 1 : 0;
        ++graphs;
      }
    }
  }
  EXPECT_GE(graphs, 50);
  EXPECT_GT(met, 0);
  EXPECT_GT(less, 0);
}

TEST(Partial, RulesAreChecked) {
  const std::string path = temporary_folder() + "rules.edges";
  std::ofstream(path) << "a v\nb v\nv w\n";
  const Graph graph = make_graph(path);
  const Vertex a = graph.find("a"), b = graph.find("b"), v = graph.find("v"), w = graph.find("w");
  const auto fault = [&](const std::vector<Move>& moves) {
    try {
      play(graph, partial_red_blue(2), moves);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto move = [](Rule rule, Vertex at, Vertex operand = -1) {
    return Move{rule, 1, 0, at, operand};
  };
  using enum Rule;
  const std::vector<Move> legal = {move(load, a),          move(accumulate, v, a), move(erase, a),
                                   move(load, b),          move(accumulate, v, b), move(erase, b),
                                   move(accumulate, w, v), move(store, w)};
  EXPECT_EQ(fault(legal), "");
  const auto begins = [&](std::size_t number, const Move& then) {
    std::vector<Move> moves(legal.begin(), legal.begin() + static_cast<std::ptrdiff_t>(number));
    moves.push_back(then);
    return fault(moves);
  };
  EXPECT_NE(begins(3, move(accumulate, w, v)).find("has not all of its own"), std::string::npos);
  EXPECT_NE(begins(3, move(erase, v)).find("is needed"), std::string::npos);
  EXPECT_NE(begins(2, move(load, b)).find("words of the fast memory are taken"), std::string::npos);
  EXPECT_NE(begins(2, move(accumulate, v, a)).find("entered before"), std::string::npos);
  EXPECT_NE(begins(1, move(compute, v)).find("one by one"), std::string::npos);
  EXPECT_NE(begins(1, move(accumulate, v, b)).find("not in fast memory"), std::string::npos);
  EXPECT_NE(begins(7, move(erase, v)).find("not in slow memory"), std::string::npos);
  // A stored partial value is out of date once it has one operand more.
  std::vector<Move> stale(legal.begin(), legal.begin() + 3);
  stale.insert(stale.end(), {move(store, v), move(load, b), move(accumulate, v, b), move(erase, b),
                             move(load, v)});
  EXPECT_NE(fault(stale).find("out of date"), std::string::npos);
  EXPECT_THROW(segments_of(graph, {"", partial_red_blue(2), legal}, 1), Error);
}

TEST(Partial, FilesKeepOperands) {
  const Graph graph = make_graph("diamond:3,3");
  Pebbling pebbling = solved(graph, 3).pebbling;
  pebbling.graph = "diamond:3,3";
  std::ostringstream text;
  write_pebbling(text, graph, pebbling);
  const std::string path = temporary_folder() + "partial.pebbling";
  std::ofstream(path) << text.str();
  const Pebbling back = read_pebbling(path, graph);
  EXPECT_EQ(back.game.kind, Game::Kind::partial);
  EXPECT_EQ(back.moves, pebbling.moves);
}

}  // namespace
}  // namespace redblue::test
