// SPDX-License-Identifier: BSD-3-Clause
// The near-optimal sequential matrix product as a pebbling.
#include <algorithm>

#include "program/checked.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

// Vertex numbers of the graph matmul:m,n,k.
struct Numbering {
  std::int32_t m, n, k;
  Vertex a(std::int32_t i, std::int32_t l) const { return i * k + l; }
  Vertex b(std::int32_t l, std::int32_t j) const { return m * k + l * n + j; }
  Vertex c(std::int32_t i, std::int32_t j, std::int32_t l) const {
    return m * k + k * n + (i * n + j) * k + l;
  }
};

class Blocks {
 public:
  Blocks(Numbering v, std::vector<Move>& moves) : v_(v), moves_(moves) {}

  void block(std::int32_t i0, std::int32_t i1, std::int32_t j0, std::int32_t j1) {
    for (std::int32_t l = 0; l < v_.k; ++l) {
      for (std::int32_t i = i0; i < i1; ++i) make(Rule::load, v_.a(i, l));
      for (std::int32_t j = j0; j < j1; ++j) {
        make(Rule::load, v_.b(l, j));
        for (std::int32_t i = i0; i < i1; ++i) update(i, j, l);
        make(Rule::erase, v_.b(l, j));
      }
      for (std::int32_t i = i0; i < i1; ++i) make(Rule::erase, v_.a(i, l));
    }
    for (std::int32_t i = i0; i < i1; ++i) {
      for (std::int32_t j = j0; j < j1; ++j) make(Rule::erase, v_.c(i, j, v_.k - 1));
    }
  }

 private:
  void make(Rule rule, Vertex v) { moves_.push_back({rule, 1, 0, v}); }

  // The new partial result needs a word beside the old one for a moment.
  void update(std::int32_t i, std::int32_t j, std::int32_t l) {
    make(Rule::compute, v_.c(i, j, l));
    if (l > 0) make(Rule::erase, v_.c(i, j, l - 1));
    if (l == v_.k - 1) make(Rule::store, v_.c(i, j, l));
  }

  Numbering v_;
  std::vector<Move>& moves_;
};

}  // namespace

std::int64_t outer_product_words(std::int64_t m, std::int64_t n, std::int64_t k,
                                 const OuterProduct& blocks) {
  using program::product, program::sum;
  const std::int64_t rows = (m + blocks.a - 1) / blocks.a;
  const std::int64_t columns = (n + blocks.b - 1) / blocks.b;
  return sum(product(k, sum(product(m, columns), product(n, rows))), product(m, n));
}

OuterProduct outer_product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t s) {
  const std::int64_t spare = k > 1 ? 2 : 1;  // beside a b results and a of A
  OuterProduct best;
  std::int64_t least = 0;
  for (std::int64_t a = 1; a <= m && 2 * a + spare <= s; ++a) {
    const OuterProduct blocks{a, std::min(n, (s - spare - a) / a)};
    const std::int64_t words = outer_product_words(m, n, k, blocks);
    if (blocks.b >= 1 && (least == 0 || words < least)) {
      least = words;
      best = blocks;
    }
  }
  if (least == 0) {
    throw Error("an outer product with S = " + std::to_string(s),
                "no room for a result and its operands",
                "give at least " + std::to_string(2 + spare), 2 + spare);
  }
  return best;
}

Pebbling outer_product_pebbling(std::int32_t m, std::int32_t n, std::int32_t k, std::int64_t s) {
  const OuterProduct best = outer_product(m, n, k, s);
  Pebbling pebbling;
  pebbling.graph =
      "matmul:" + std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k);
  pebbling.game = red_blue_white(s);
  Blocks blocks({m, n, k}, pebbling.moves);
  const auto a = static_cast<std::int32_t>(best.a), b = static_cast<std::int32_t>(best.b);
  for (std::int32_t i = 0; i < m; i += a) {
    for (std::int32_t j = 0; j < n; j += b) {
      blocks.block(i, std::min(m, i + a), j, std::min(n, j + b));
    }
  }
  return pebbling;
}

}  // namespace redblue::cdag
