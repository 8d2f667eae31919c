// SPDX-License-Identifier: BSD-3-Clause
// Rank-2k updates and symmetric products on triangle blocks: choice, cost, bound.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/cost.hpp"
#include "decomposition/symmetric/triangle.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/symmetric_model.hpp"

namespace redblue {

namespace {

// Words of one rank and whom it hears from.
struct Moves {
  std::int64_t received = 0;
  std::int64_t sent = 0;
  std::set<int> peers;
};

struct RankMoves {
  Moves square;   // of the n x n matrix
  Moves in, out;  // of an n x k matrix that is read, that is added up
  std::int64_t owned_square = 0, owned_slab = 0;
};

// A cell whose parts all its needers get from their owners.
void gather(const Cell& cell, std::size_t t, Moves& moves) {
  const std::int64_t all = counted(cell, cell.block.size());
  const auto share = [&cell](std::size_t x) {
    return counted(cell, cell.begins[x + 1]) - counted(cell, cell.begins[x]);
  };
  moves.received += all - share(t);
  moves.sent += share(t) * static_cast<std::int64_t>(cell.needers.size() - 1);
  for (std::size_t o = 0; o < cell.needers.size(); ++o) {
    if (o != t && share(o) > 0) moves.peers.insert(cell.needers[o]);
  }
}

// A cell to which all its needers contribute, added up at the owners.
void reduce(const Cell& cell, std::size_t t, Moves& moves) {
  const std::int64_t share = counted(cell, cell.begins[t + 1]) - counted(cell, cell.begins[t]);
  moves.received += share * static_cast<std::int64_t>(cell.needers.size() - 1);
  moves.sent += counted(cell, cell.block.size()) - share;
  for (const int other : cell.needers) {
    if (share > 0 && other != cell.needers[t]) moves.peers.insert(other);
  }
}

std::vector<RankMoves> moves_of(SymmetricKernel kernel, const TriangleDecomposition& d) {
  std::vector<RankMoves> ranks(static_cast<std::size_t>(d.ranks_used()));
  for (const Cell& cell : inputs(d)) {
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      RankMoves& rank = ranks[static_cast<std::size_t>(cell.needers[t])];
      rank.owned_slab += cell.share(t);
      gather(cell, t, rank.in);
      if (kernel == SymmetricKernel::symm) reduce(cell, t, rank.out);
    }
  }
  for_each_output(d, [&](const Cell& cell) {
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      RankMoves& rank = ranks[static_cast<std::size_t>(cell.needers[t])];
      rank.owned_square += cell.share(t);
      if (kernel == SymmetricKernel::symm) {
        gather(cell, t, rank.square);
      } else {
        reduce(cell, t, rank.square);
      }
    }
  });
  return ranks;
}

// Of one member, per column.
struct Faces {
  std::int64_t work = 0;     // multiplications
  std::int64_t storage = 0;  // its pairs
  std::int64_t rows = 0;     // its row blocks
  std::int64_t largest = 0;  // square on the diagonal
};

Faces faces(SymmetricKernel kernel, const TriangleDecomposition& d, std::size_t member) {
  Faces f;
  for (const int p : d.row_blocks_of[member]) f.rows += d.rows(p).size();
  for (const auto& [i, j] : d.pairs[member]) {
    const std::int64_t size = d.rows(i).size() * d.rows(j).size();
    f.storage += size;
    // of a diagonal block symm multiplies the whole, syr2k both products of one triangle
    const std::int64_t diagonal =
        kernel == SymmetricKernel::symm ? size : d.rows(i).size() * (d.rows(i).size() + 1);
    f.work += i == j ? diagonal : 2 * size;
    if (i == j) f.largest = std::max(f.largest, size);
  }
  return f;
}

// The buffers of a run at most: all that it sends and receives at once.
std::int64_t memory_of(SymmetricKernel kernel, const TriangleDecomposition& d, const RankMoves& r,
                       const Faces& f, std::int64_t columns) {
  const std::int64_t owned = r.owned_square + 2 * r.owned_slab;
  const std::int64_t panels = 2 * f.rows * columns;
  if (kernel == SymmetricKernel::syr2k) {
    const std::int64_t contributions = std::min<std::int64_t>(2, d.replicas - 1) * r.owned_square;
    return owned + f.storage + std::max(panels, contributions);
  }
  const std::int64_t in = r.square.received + r.square.sent + r.in.received + r.in.sent;
  return owned + f.storage + panels + std::max(f.largest + in, r.out.received + r.out.sent) +
         f.largest;
}

}  // namespace

Cost cost_of(SymmetricKernel kernel, const TriangleDecomposition& d, const Machine& machine) {
  const std::vector<RankMoves> ranks = moves_of(kernel, d);
  // A and B of syr2k move alike, of symm B is read and C added up
  const std::int64_t inputs_moved = kernel == SymmetricKernel::syr2k ? 2 : 1;
  Cost cost;
  const std::size_t members = d.row_blocks_of.size();
  for (std::size_t member = 0; member < members; ++member) {
    const Faces f = faces(kernel, d, member);
    for (int l = 0; l < d.replicas; ++l) {
      const RankMoves& r = ranks[static_cast<std::size_t>(l) * members + member];
      const std::int64_t columns = d.columns(l).size();
      const std::int64_t words = inputs_moved * r.in.received + r.out.received + r.square.received;
      const auto messages = inputs_moved * static_cast<std::int64_t>(r.in.peers.size()) +
                            static_cast<std::int64_t>(r.out.peers.size() + r.square.peers.size());
      cost.words = std::max(cost.words, Words(words));
      cost.mean_words += static_cast<double>(words) / d.ranks;
      cost.messages = std::max(cost.messages, Messages(messages));
      cost.memory = std::max(cost.memory, Words(memory_of(kernel, d, r, f, columns)));
      cost.work = std::max(cost.work, static_cast<double>(f.work) * static_cast<double>(columns));
    }
  }
  cost.resident = cost.memory;
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

TriangleDecomposition choose_symmetric(SymmetricKernel kernel, const SyrkPlanRequest& request) {
  SyrkPlanRequest free = request;
  free.memory.reset();
  free.shape.k *= 2;
  TriangleDecomposition d = choose_syrk(free);
  if (d.replicas > std::max<std::int64_t>(1, request.shape.k)) {
    free.shape.k = request.shape.k;
    d = choose_syrk(free);
  }
  d.shape = request.shape;
  if (request.memory) {
    const Words needed = cost_of(kernel, d, request.machine).memory;
    if (needed > *request.memory) {
      throw Error(std::string(kernel == SymmetricKernel::symm ? "symm" : "syr2k") + " in " +
                      std::to_string(request.memory->value) + " words per rank",
                  "these triangle blocks do not fit, and it does not work in rounds",
                  "give it " + std::to_string(needed.value) + " or more ranks");
    }
  }
  return d;
}

double lower_bound(SymmetricKernel kernel, const TriangleDecomposition& d,
                   std::optional<Words> memory) {
  std::int64_t face = 0;
  for (std::size_t m = 0; m < d.row_blocks_of.size(); ++m) {
    face = std::max(face, faces(kernel, d, m).work);
  }
  std::int64_t widest = 0;
  for (int l = 0; l < d.replicas; ++l) widest = std::max(widest, d.columns(l).size());
  const RankLimits limits{d.ranks, static_cast<double>(face) * static_cast<double>(widest), memory};
  return kernel == SymmetricKernel::symm ? symm_lower_bound(d.shape.n, d.shape.k, limits)
                                         : syr2k_lower_bound(d.shape, limits);
}

}  // namespace redblue
