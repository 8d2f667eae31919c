// SPDX-License-Identifier: BSD-3-Clause
// What processors that share the work evenly receive, whatever their memory: no way to share the
// vertices of a small program receives less, of all ways there are, or of those that a search
// finds.
#include "bounds/busiest/even_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bounds/busiest/small_program.hpp"
#include "redblue/analysis.hpp"
#include "redblue/cdag.hpp"
#include "redblue/pebble.hpp"

namespace redblue {
namespace {

using test::request_of;
using test::SmallProgram;

// All instances with most operands count, so what the bounds take for granted is that no processor
// has more than its share of these.
const SmallProgram table{"table",
                         "int N, double A[N][N]",
                         "for (int i = 1; i < N; i++) for (int j = 1; j < N; j++)\n"
                         "  A[i][j] = A[i-1][j] + A[i][j-1] + A[i-1][j-1];\n",
                         {{"N", 5}}};
const SmallProgram jacobi{"jacobi",
                          "int N, int T, double A[N], double B[N]",
                          "for (int t = 0; t < T; t++) {\n"
                          "  for (int i = 1; i < N - 1; i++) B[i] = A[i-1] + A[i] + A[i+1];\n"
                          "  for (int i = 1; i < N - 1; i++) A[i] = B[i-1] + B[i] + B[i+1];\n}\n",
                          {{"N", 6}, {"T", 2}}};
const SmallProgram seidel{
    "seidel",
    "int N, int T, double A[N][N]",
    "for (int t = 0; t < T; t++)\n"
    "  for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)\n"
    "    A[i][j] = A[i-1][j] + A[i][j-1] + A[i][j] + A[i][j+1] + A[i+1][j];\n",
    {{"N", 4}, {"T", 4}}};
const SmallProgram sweep{"sweep",
                         "int N, double A[N][N], double B[N][N]",
                         "for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)\n"
                         "  B[i][j] = A[i-1][j] + A[i][j-1] + A[i][j+1] + A[i+1][j];\n",
                         {{"N", 6}}};
const SmallProgram vector{"vector",
                          "int M, int N, double A[M][N], double x[N], double y[M]",
                          "for (int i = 0; i < M; i++) for (int j = 0; j < N; j++)\n"
                          "  y[i] += A[i][j] * x[j];\n",
                          {{"M", 4}, {"N", 4}}};
// The factor A is computed, where it is needed if one likes.
const SmallProgram product{
    "product",
    "int M, int N, int K, double u[M], double v[K], double B[K][N], double C[M][N]",
    "double A[M][K];\n"
    "for (int i = 0; i < M; i++) for (int k = 0; k < K; k++) A[i][k] = u[i] + v[k];\n"
    "for (int i = 0; i < M; i++) for (int j = 0; j < N; j++)\n"
    "  for (int k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j];\n",
    {{"M", 2}, {"N", 2}, {"K", 4}}};

// What is received by all processors together, where vertex v is computed by owner[v], and all else
// lies with one that reads it.
class Shares {
 public:
  Shares(const SmallProgram& one, int processors) : processors_(processors) {
    graph_ = cdag::source_graph(request_of(one, processors));
    for (cdag::Vertex v = 0; v < graph_.size(); ++v) {
      if (graph_.operands(v).size() == static_cast<std::size_t>(graph_.most_operands()))
        computed_.push_back(v);
    }
    owner_.assign(static_cast<std::size_t>(graph_.size()), -1);
  }

  std::size_t share() const {
    const auto p = static_cast<std::size_t>(processors_);
    return (computed_.size() + p - 1) / p;
  }

  std::int64_t received() const {
    std::vector<std::vector<bool>> needs(owner_.size(),
                                         std::vector<bool>(static_cast<std::size_t>(processors_)));
    for (const cdag::Vertex v : computed_) {
      for (const cdag::Vertex u : graph_.operands(v))
        needs[static_cast<std::size_t>(u)][static_cast<std::size_t>(of(v))] = true;
    }
    std::int64_t words = 0;
    for (std::size_t u = 0; u < needs.size(); ++u) {
      const std::int64_t readers = std::count(needs[u].begin(), needs[u].end(), true);
      const bool has_owner = owner_[u] >= 0;
      const bool reads_it = has_owner && needs[u][static_cast<std::size_t>(owner_[u])];
      words += has_owner ? readers - (reads_it ? 1 : 0) : std::max<std::int64_t>(readers - 1, 0);
    }
    return words;
  }

  // The least over all ways to share them.
  std::int64_t least() {
    std::vector<std::size_t> has(static_cast<std::size_t>(processors_), 0);
    std::int64_t best = 1'000'000;
    extend(0, has, best);
    return best;
  }

  // The least that exchanges of two vertices find from a random way to share them.
  std::int64_t found(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::size_t> order(computed_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (seed % 2 == 1) std::shuffle(order.begin(), order.end(), random);  // else blocks
    for (std::size_t i = 0; i < order.size(); ++i)
      at(computed_[order[i]]) = static_cast<int>(i / share());
    std::int64_t best = received();
    for (int tries = 0; tries < 1500; ++tries) {
      int& a = at(computed_[random() % computed_.size()]);
      int& b = at(computed_[random() % computed_.size()]);
      std::swap(a, b);
      const std::int64_t words = received();
      if (words > best) std::swap(a, b);
      best = std::min(best, words);
    }
    return best;
  }

 private:
  int of(cdag::Vertex v) const { return owner_[static_cast<std::size_t>(v)]; }
  int& at(cdag::Vertex v) { return owner_[static_cast<std::size_t>(v)]; }

  void extend(std::size_t next, std::vector<std::size_t>& has, std::int64_t& best) {
    if (next == computed_.size()) {
      best = std::min(best, received());
      return;
    }
    for (int q = 0; q < processors_; ++q) {
      if (has[static_cast<std::size_t>(q)] == share()) continue;
      at(computed_[next]) = q;
      ++has[static_cast<std::size_t>(q)];
      extend(next + 1, has, best);
      --has[static_cast<std::size_t>(q)];
      if (has[static_cast<std::size_t>(q)] == 0) break;  // empty ones are alike
    }
  }

  int processors_;
  cdag::Graph graph_;
  std::vector<cdag::Vertex> computed_;
  std::vector<int> owner_;  // -1: not shared evenly
};

double bound_of(const BoundRequest& request) {
  const BoundReport report = lower_bounds(request);
  double words = 0;
  for (const LowerBound& bound : report.bounds) {
    if (bound.busiest_provided.find("each value is computed once") != std::string::npos)
      words = std::max(words, bound.busiest_value.value_or(0));
  }
  return words;
}

TEST(EvenShares, NoWayToShareReceivesLess) {
  for (const SmallProgram& one : {table, jacobi, seidel, sweep, vector, product}) {
    const double bound = bound_of(request_of(one, 2));
    const auto least = static_cast<double>(Shares(one, 2).least());
    EXPECT_LE(2 * bound, least + 1e-6) << one.name;
    EXPECT_TRUE(bound > 0 || one.name == "jacobi" || one.name == "sweep") << one.name;
  }
}

TEST(EvenShares, NoWayThatASearchFindsReceivesLess) {
  std::vector<SmallProgram> larger = {table, jacobi, seidel, sweep, vector, product};
  larger[0].sizes = {{"N", 9}};
  larger[1].sizes = {{"N", 10}, {"T", 4}};
  larger[2].sizes = {{"N", 6}, {"T", 4}};
  larger[3].sizes = {{"N", 10}};
  larger[4].sizes = {{"M", 8}, {"N", 8}};
  larger[5].sizes = {{"M", 4}, {"N", 4}, {"K", 4}};
  for (const SmallProgram& one : larger) {
    for (const int processors : {2, 3, 4, 8}) {
      const double bound = bound_of(request_of(one, processors));
      Shares shares(one, processors);
      for (const unsigned seed : {0U, 1U}) {
        EXPECT_LE(processors * bound, static_cast<double>(shares.found(seed)) + 1e-6)
            << one.name << " on " << processors;
      }
    }
  }
}

// Rows and columns of a square matrix cut into squares: what p^2 processors receive of x and send
// of y, n/p each, less what they own, is what the bound says but for that share.
TEST(EvenShares, AMatrixTimesAVectorInSquares) {
  SmallProgram large = vector;
  large.sizes = {{"M", 1000}, {"N", 1000}};
  const double bound = bound_of(request_of(large, 16));
  EXPECT_NEAR(bound, 2 * 250 - 2000 / 16.0, 1);
}

}  // namespace
}  // namespace redblue
