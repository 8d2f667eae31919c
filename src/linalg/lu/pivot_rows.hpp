// SPDX-License-Identifier: BSD-3-Clause
// U(K, J) = L(P, K)^-1 A(P, J) of one step of LU (linalg/lu/lu.hpp), from the rows of the pivots to
// the ranks whose updates need them.
//
// The ranks of one grid column, in all c replicas: (l, r) is replica l, grid row r. P_r are the
// pivots in grid row r, of which every replica has a copy. The columns J of this grid column are
// shared out among its ranks: a group for each grid row, a slice of that for each replica.
//
//   J =  |    group 0    |    group 1    |   2 grid rows,
//        | l = 0 | l = 1 | l = 0 | l = 1 |   2 replicas: slices (l, r)
//
//   rank (l, r) has          then, by                                       in
//   A_l(P_r, J)              its own storage                                extract
//   A(P_r, slices of l)      reduce-scatter over replicas                   reduce_over_replicas
//   A(P, slice (l, r))       all-to-all along the grid column               exchange_shares
//   U(K, slice (l, r))       trsm with L(P, K)                              solve_slice
//   U(K_l, group r)          all-to-all over replicas                       exchange_chunks
//   U(K_l, J)                allgather along the grid column                allgather_groups
//   U(K, J)                  gather, only at the owner: the rank that       gather_at_owner,
//                            stores these rows of U                         assemble_rows
//
// With one replica: allgather of A(P, J) along the grid column, and every rank solves for all of
// U(K, J). A rank exchanges messages with replicas and grid rows one after the other, so it has
// c + grid rows partners, not c times grid rows. The allgather is direct or by doubling
// (decomposition/doubling.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/lu/pivot_columns.hpp"
#include "decomposition/ownership.hpp"
#include "linalg/lu/active_rows.hpp"
#include "linalg/lu/delayed_updates.hpp"
#include "redblue/factor_model.hpp"

namespace redblue::linalg {

// One step as a rank sees it: P, L(P, K) and U(K, K) as one square, and the columns J: `across` of
// them from `first` of the storage on.
template <class T>
struct PivotStep {
  const std::vector<std::int64_t>& pivots;
  const std::vector<T>& square;  // of order pivots.size(); only its lower triangle is read
  std::int64_t first, across;
  int owner;  // the class of rows with which U(K, :) is stored
};

// Rows of U(K, J) from number `begin` on, column-major.
template <class T>
struct UpperRows {
  const T* rows;
  std::int64_t begin, leading;
};

// Sends of a step may still be under way in the next one.
template <class T>
class PivotRows {
 public:
  // `column`: the ranks of the grid column, by the class of rows they own; this one is
  // column[mine].
  PivotRows(std::vector<int> column, int mine, const LuDecomposition& decomposition,
            std::int64_t columns);

  std::int64_t workspace() const { return buffers_.total; }

  // K_l, counted from the first pivot.
  static Range chunk(std::int64_t width, int replica, int replicas) {
    return round_of({0, width}, replica, replicas);
  }

  // Takes A_l(P, :) out of `a`, brings it up to date, closes the gaps (that active.retire() has
  // found) and returns at least U(K_l, J); at the owner U(K, J). `parity` alternates from step to
  // step.
  UpperRows<T> gather(const comm::Communicator& communicator, const ActiveRows& active,
                      const DelayedUpdates<T>& delayed, const PivotStep<T>& step, T* a, int parity,
                      T* workspace, std::vector<MPI_Request>& sends, Traffic& traffic);

 private:
  // For each grid row r the pivots P_r, as numbers 0, 1, .. of P.
  using Shares = std::vector<std::vector<std::int64_t>>;

  // How a stage posts its messages.
  struct Channel {
    const comm::Communicator& communicator;
    std::vector<MPI_Request>& sends;
    std::vector<MPI_Request>& receives;
    Traffic& traffic;

    void receive(int peer, int tag, T* to, std::int64_t words) const;
    void send(int peer, int tag, const T* from, std::vector<comm::Run> runs) const;
  };

  struct Buffers {
    T *extracted, *upper, *received;
    T *chunk, *slice, *parts;  // with several replicas only
  };
  Buffers cut(T* workspace, int parity) const;
  void extract(const ActiveRows& active, const DelayedUpdates<T>& delayed, const PivotStep<T>& step,
               const std::vector<std::int64_t>& mine, T* a, T* extracted) const;
  std::vector<const T*> exchange_shares(const Channel& channel, const Shares& shares, const T* rows,
                                        std::int64_t across, bool slices, T* received) const;
  std::vector<const T*> double_shares(const Channel& channel, const Shares& shares, const T* rows,
                                      std::int64_t across, T* received) const;
  void allgather_by_doubling(const Channel& channel, const std::vector<std::int64_t>& begins,
                             T* block, int tag) const;
  UpperRows<T> solve_whole(const Channel& channel, const Shares& shares, const PivotStep<T>& step,
                           const Buffers& b) const;

  // With several replicas, in this order.
  T* reduce_over_replicas(const Channel& channel, std::int64_t own_pivots, std::int64_t across,
                          const Buffers& b) const;
  void solve_slice(const Channel& channel, const Shares& shares, const PivotStep<T>& step,
                   const T* rows, const Buffers& b) const;
  void exchange_chunks(const Channel& channel, const PivotStep<T>& step, const Buffers& b) const;
  void gather_at_owner(const Channel& channel, const PivotStep<T>& step, const Buffers& b) const;
  void allgather_groups(const Channel& channel, const PivotStep<T>& step, const Buffers& b) const;
  UpperRows<T> assemble_rows(const PivotStep<T>& step, const Buffers& b) const;

  int rank_at(int replica, int row) const {
    return column_[static_cast<std::size_t>(replica) *
                       static_cast<std::size_t>(columns_.grid_rows) +
                   static_cast<std::size_t>(row)];
  }
  int replicas() const { return columns_.replicas; }
  Range chunk_of(const PivotStep<T>& step, int replica) const {
    return chunk(static_cast<std::int64_t>(step.pivots.size()), replica, replicas());
  }
  Range own_slice(const PivotStep<T>& step) const {
    return columns_.slice(step.across, replica_, row_);
  }
  bool is_owner(const PivotStep<T>& step) const {
    return step.owner == replica_ * columns_.grid_rows + row_;
  }

  std::vector<int> column_;
  PivotColumns columns_;
  int replica_, row_;
  Exchange exchange_;
  PivotColumns::Buffers buffers_;
  std::vector<MPI_Request> receives_;
};

}  // namespace redblue::linalg
