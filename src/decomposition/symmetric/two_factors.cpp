// SPDX-License-Identifier: BSD-3-Clause
// Rank-2k updates and symmetric products on triangle blocks: choice, cost, bound.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "decomposition/cost.hpp"
#include "decomposition/symmetric/triangle_shares.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/symmetric_model.hpp"

namespace redblue {

namespace {

// An n x k matrix on one rank.
struct Slab {
  std::int64_t owned = 0;
  std::int64_t gathered = 0;      // words that come where it is read; sent where it is added up
  std::int64_t reduced = 0;       // words that come where it is added up; sent where it is read
  std::int64_t owners = 0;        // messages that come where it is read
  std::int64_t contributors = 0;  // where it is added up
};

std::vector<Slab> slabs(const std::vector<Cell>& cells, std::size_t ranks) {
  std::vector<Slab> result(ranks);
  for (const Cell& cell : cells) {
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      Slab& rank = result[static_cast<std::size_t>(cell.needers[t])];
      rank.owned += cell.share(t);
      rank.gathered += cell.block.size() - cell.share(t);
      rank.reduced += cell.share(t) * static_cast<std::int64_t>(cell.needers.size() - 1);
    }
  }
  const std::vector<std::int64_t> owners = peers_of(cells, ranks, Moved::to_needers);
  const std::vector<std::int64_t> contributors = peers_of(cells, ranks, Moved::to_owners);
  for (std::size_t r = 0; r < ranks; ++r) {
    result[r].owners = owners[r];
    result[r].contributors = contributors[r];
  }
  return result;
}

// Those of all ranks; where replicas are alike, of one of each width.
class Slabs {
 public:
  explicit Slabs(const TriangleDecomposition& d)
      : members_(d.row_blocks_of.size()), alike_(replicas_are_alike(d)) {
    if (!alike_) {
      all_ = slabs(inputs(d), members_ * static_cast<std::size_t>(d.replicas));
      return;
    }
    for (int l = 0; l < d.replicas; ++l) {
      std::vector<Slab>& same = of_width_[d.columns(l).size()];
      if (same.empty()) same = slabs(inputs_of_replica(d, l), members_);
    }
  }
  const Slab& of(std::size_t member, int replica, std::int64_t width) const {
    return alike_ ? of_width_.at(width)[member]
                  : all_[static_cast<std::size_t>(replica) * members_ + member];
  }

 private:
  std::size_t members_;
  bool alike_;
  std::vector<Slab> all_;
  std::map<std::int64_t, std::vector<Slab>> of_width_;
};

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

// A rank's part of the n x n matrix: read by all replicas (symm), or added up (syr2k).
struct Square {
  std::int64_t owned = 0, received = 0, sent = 0, messages = 0;
};

std::vector<Square> squares(SymmetricKernel kernel, const std::vector<ReplicaShare>& shares) {
  std::int64_t all = 0;
  std::int64_t owners = 0;
  for (const ReplicaShare& s : shares) {
    all += s.counted;
    owners += s.counted > 0 ? 1 : 0;
  }
  const auto others = static_cast<std::int64_t>(shares.size()) - 1;
  std::vector<Square> result;
  for (const ReplicaShare& s : shares) {
    const std::int64_t missing = all - s.counted;
    const std::int64_t copies = s.counted * others;
    if (kernel == SymmetricKernel::symm) {
      result.push_back({s.owned, missing, copies, owners - (s.counted > 0 ? 1 : 0)});
    } else {
      result.push_back({s.owned, copies, missing, s.counted > 0 ? others : 0});
    }
  }
  return result;
}

// The buffers of a run at most: all that it sends and receives at once.
std::int64_t memory_of(SymmetricKernel kernel, const Square& square, const Slab& slab,
                       const Faces& f, std::int64_t columns, int replicas) {
  const std::int64_t owned = square.owned + 2 * slab.owned;
  const std::int64_t panels = 2 * f.rows * columns;
  if (kernel == SymmetricKernel::syr2k) {
    const std::int64_t contributions = std::min(2, replicas - 1) * square.owned;
    return owned + f.storage + std::max(panels, contributions);
  }
  const std::int64_t moved = slab.gathered + slab.reduced;  // of B, and of C
  return owned + f.storage + panels + f.largest +
         std::max(f.largest + square.received + square.sent + moved, moved);
}

}  // namespace

Cost cost_of(SymmetricKernel kernel, const TriangleDecomposition& d, const Machine& machine) {
  const Slabs all(d);
  Cost cost;
  for (std::size_t member = 0; member < d.row_blocks_of.size(); ++member) {
    const Faces f = faces(kernel, d, member);
    const std::vector<Square> of_replica = squares(kernel, replica_shares(d, member));
    for (int l = 0; l < d.replicas; ++l) {
      const std::int64_t columns = d.columns(l).size();
      const Slab& slab = all.of(member, l, columns);
      const Square& square = of_replica[static_cast<std::size_t>(l)];
      // A and B of syr2k are read, of symm B is read and C added up
      const bool symm = kernel == SymmetricKernel::symm;
      const std::int64_t words =
          square.received + slab.gathered + (symm ? slab.reduced : slab.gathered);
      const std::int64_t messages =
          square.messages + slab.owners + (symm ? slab.contributors : slab.owners);
      cost.words = std::max(cost.words, Words(words));
      cost.mean_words += static_cast<double>(words) / d.ranks;
      cost.messages = std::max(cost.messages, Messages(messages));
      cost.memory =
          std::max(cost.memory, Words(memory_of(kernel, square, slab, f, columns, d.replicas)));
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
