// SPDX-License-Identifier: BSD-3-Clause
// A graph of one's own, and the fewest words any pebbling of it moves.
//   pebble
#include <cstdio>
#include <redblue/cdag.hpp>
#include <redblue/pebble.hpp>
#include <string>
#include <vector>

int main() {
  using namespace redblue::cdag;
  // Horner's rule at two points x and y, with the same coefficients c0 .. c3:
  // p = ((c3 x + c2) x + c1) x + c0, q likewise in y.
  Builder builder;
  std::vector<Vertex> c;
  const auto input = [&](const std::string& name) {
    const Vertex v = builder.named({}, name);
    builder.tag(v, true, false);  // an input, no output
    return v;
  };
  for (int i = 0; i < 4; ++i) c.push_back(input("c" + std::to_string(i)));
  for (const std::string point : {"x", "y"}) {
    const Vertex at = input(point);
    Vertex value = c[3];
    for (int i = 2; i >= 0; --i) {
      const std::vector<Vertex> operands = {value, at, c[static_cast<std::size_t>(i)]};
      value = builder.named(operands, "p" + std::to_string(i) + "(" + point + ")");
    }
  }
  const Graph graph = builder.finish();  // vertices that nobody reads are outputs

  bool right = true;
  std::int64_t before = -1;
  for (const std::int64_t s : {4, 5, 6, 7}) {
    const Exact best = optimal_pebbling(graph, s);
    // The pebbling found, played by the rules of the game; and a bound that knows no pebbling.
    const Tally played = play(graph, red_blue_white(s), best.pebbling.moves);
    const std::int64_t bound = graph_bound(graph, s, false).moved;
    std::printf(
        "S = %d: %lld words are necessary and enough (%lld loads, %lld stores; bound %lld)\n",
        static_cast<int>(s), static_cast<long long>(best.upper),
        static_cast<long long>(played.loads), static_cast<long long>(played.stores),
        static_cast<long long>(bound));
    right = right && best.proved() && played.moved() == best.upper && bound <= best.lower &&
            (before < 0 || best.upper <= before);
    before = best.upper;
  }
  // 6 inputs and 2 outputs move in any case.
  return right && before == 8 ? 0 : 1;
}
