// SPDX-License-Identifier: BSD-3-Clause
// LU with tournament pivoting [grigori2011] on grids of ranks, with replicas [solomonik2011]. Pivot
// rows are not exchanged: they leave the active rows, and each rank closes the gaps in its storage.
//
// With b the block size, of an m x n matrix A; step k = 0, 1, .. of blocks():
//   K     columns k b .. k b + b - 1 (the panel); also, of P A and U, these rows
//   J     the columns after K
//   R     the active rows: those that are not pivots yet
//   P     the pivots of step k; they leave R
//   l     a replica, 0 .. c - 1; A = the sum over l of A_l
//   K_l   replica l's chunk of the step's pivots, a c-th of K
//
//   for each k:
//     ranks of the panel (the grid column that stores K):
//       A(R, K) = sum over l of A_l(R, K)        reduce-scatter over replicas   reduce_panel
//       P, with A(P, K) = L(P, K) U(K, K)        tournament                     find_pivots
//       L(R, K) = A(R, K) U(K, K)^-1             trsm                           make_panel
//       L(P, K), L(R, K_l) to replica l          broadcast along the grid row   send_panel
//     all ranks:
//       A(P, J) = sum over l of A_l(P, J),       reduce-scatter, all-to-all,    PivotRows
//       U(K, J) = L(P, K)^-1 A(P, J)             trsm, allgather
//       A_l(R, J) -= L(R, K_l) U(K_l, J)         gemm, at once or delayed       update
//
// Look-ahead: update() brings the next panel up to date first, factors it and sends it, then
// updates the rest of J.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "comm/transfer.hpp"
#include "decomposition/cyclic_classes.hpp"
#include "layout/arrangement.hpp"
#include "linalg/lu/active_rows.hpp"
#include "linalg/lu/delayed_updates.hpp"
#include "linalg/lu/panel_message.hpp"
#include "linalg/lu/pivot_rows.hpp"
#include "redblue/factor.hpp"

namespace redblue::linalg {

// Rows of a panel that may become pivots, best first: their numbers in the matrix and their
// elements (column-major, `width` columns).
template <class T>
struct Candidates {
  std::vector<std::int64_t> rows;
  std::vector<T> values;
};

// Tournament pivoting: the ranks of a panel choose min(width, rows) pivots. Each proposes
// candidates by partial pivoting on its rows; over a butterfly of ranks, two ranks' candidates are
// stacked and partial pivoting on the stack keeps the best.
template <class T>
class Tournament {
 public:
  // `ranks`, in the communicator, of the panel's grid rows; this one is ranks[index].
  Tournament(std::vector<int> ranks, int index) : ranks_(std::move(ranks)), index_(index) {}

  // On all ranks of the panel: replaces the candidates of this rank by the pivots, and their
  // elements by L and U of their first width x width block.
  void run(const comm::Communicator& communicator, std::int64_t width, Candidates<T>& candidates,
           Traffic& traffic) const;

 private:
  void send(const comm::Communicator& communicator, int peer, std::int64_t width,
            const Candidates<T>& candidates, std::vector<T>& buffer,
            std::vector<MPI_Request>& pending, Traffic& traffic) const;
  Candidates<T> receive(const comm::Communicator& communicator, int peer, std::int64_t width,
                        Traffic& traffic) const;

  std::vector<int> ranks_;
  int index_;
};

// The rows that partial pivoting chooses first, in its order: `width` of them, or as many as there
// are. `numbers` are the rows' numbers, `values` their `width` columns, `leading` words apart. The
// result has the rows' own elements or, if `factored`, L and U of their first width x width block.
template <class T>
Candidates<T> best_of(std::int64_t width, const std::vector<std::int64_t>& numbers, const T* values,
                      std::int64_t leading, bool factored);

// With one replica, each rank subtracts every step's product from its block of the matrix. With c,
// each replica is a grid of ranks with a copy A_l that starts as zero but for its share of the
// rows; it subtracts its chunk K_l of each step's product from that copy.
template <class T>
class Lu {
 public:
  Lu(const LuDecomposition& decomposition, Rank me);

  // How the storage holds the matrix before factor().
  static layout::Arrangement before(const LuDecomposition& decomposition, Rank me);
  std::int64_t storage() const { return storage_; }
  std::int64_t workspace() const { return workspace_; }

  // This rank's rows and columns of U, without gaps; some elements below U's diagonal are
  // overwritten.
  struct Upper {
    T* u = nullptr;
    std::int64_t leading = 1;
  };
  std::int64_t upper_storage() const { return upper_rows_ * local_columns_; }
  std::int64_t upper_leading() const { return std::max<std::int64_t>(1, upper_rows_); }

  // Returns 0 or one plus the index of the first zero pivot, the same on all ranks; `pivots` are
  // the original rows that become rows 0, 1, ... .
  std::int64_t factor(const comm::Communicator& communicator, T* storage, const Upper& upper,
                      T* workspace, std::vector<std::int64_t>& pivots, Traffic& traffic);

  // After factor(): how the storage holds L (rows of P A; the lower triangle of the arrangement),
  // and U's own storage U (the upper one). `order`: original rows, in their order in P A.
  static layout::Arrangement lower(const LuDecomposition& decomposition,
                                   const std::vector<std::int64_t>& order, Rank me);
  static layout::Arrangement upper(const LuDecomposition& decomposition, Rank me);
  // In which rows of the storage L's rows really are, by column of this rank: each panel was stored
  // in the order its rows had then.
  comm::SourceRows lower_rows(const std::vector<std::int64_t>& order) const;

 private:
  // A step whose panel this rank shares: the rows it owns of L(:, K), in the order of storage.
  struct KeptPanel {
    std::int64_t step = 0;
    std::vector<std::int64_t> rows;
  };
  // Step k as this rank sees it, in its own columns.
  struct Step {
    std::int64_t number, width;  // k, |K|
    bool panel;                  // this rank shares the panel
    int column;                  // the grid column that does
    std::int64_t at;             // first column of K in storage, if this rank has it
    std::int64_t trailing;       // first column of J
    std::int64_t across;         // columns of J
  };

  // L(R, K_l) and U(K_l, J) of a step, whose product is subtracted.
  struct Factors {
    std::int64_t pivots = 0;               // |K_l|
    std::vector<ActiveRows::RowRun> rows;  // R, in the order the rows had then
    std::vector<blas::Factor<T>> lower;    // of each run of rows
    std::int64_t first = 0;                // column with which `upper` begins
    blas::Factor<T> upper;
  };
  struct Buffers {
    std::array<T*, 2> messages;
    T* other_rows;  // L of the rows that other replicas own, of this step
    T* reduced;     // what is sent and received to reduce the next panel
    T *delayed, *pivot_rows;

    PanelMessage<T> message(const Step& s) const {
      return {messages[static_cast<std::size_t>(s.number % 2)], s.width};
    }
  };

  // Classes of rows by owner: one for every grid row of every replica.
  static CyclicClasses row_classes(const LuDecomposition& d) {
    return {d.m, d.block, d.grid_rows * d.replicas};
  }
  Buffers cut(T* workspace) const;
  Step step(std::int64_t number) const;
  bool takes_part() const { return me_ < rows_.classes * columns_.classes; }
  int replica() const { return my_row_ / grid_rows_; }
  int replicas() const { return rows_.classes / grid_rows_; }
  // K_l, counted from K's first column.
  Range chunk(const Step& s, int replica) const {
    return PivotRows<T>::chunk(s.width, replica, replicas());
  }
  // Ranks by the class of rows they own and the column of the grid. In this rank's grid row:
  int rank_at(int row, int column) const { return row * columns_.classes + column; }
  int rank_in_row(int replica, int column) const {
    return rank_at(my_row_ % grid_rows_ + replica * grid_rows_, column);
  }
  // Sends posted in a step; they are done before the next step but one begins.
  std::vector<MPI_Request>& sends(const Step& s) {
    return sends_[static_cast<std::size_t>(s.number % 2)];
  }
  void clear_copies(T* storage) const;
  void reduce_panel(const comm::Communicator& communicator, const Step& s, T* a, T* buffer,
                    Traffic& traffic);
  void find_pivots(const comm::Communicator& communicator, const Step& s, const T* a,
                   Traffic& traffic);
  void make_panel(const Step& s, T* a, const PanelMessage<T>& message);
  void send_panel(const comm::Communicator& communicator, const Step& s,
                  const PanelMessage<T>& message, Traffic& traffic);
  void factor_panel(const comm::Communicator& communicator, const Step& s, T* a, const Buffers& b,
                    Traffic& traffic);
  void receive_panel(const comm::Communicator& communicator, const Step& s,
                     const PanelMessage<T>& message, Traffic& traffic);
  void receive_other_rows(const comm::Communicator& communicator, const Step& s, T* received,
                          Traffic& traffic);
  Factors factors(const Step& s, const Buffers& b, const UpperRows<T>& upper) const;
  void subtract(const Factors& f, std::int64_t first, std::int64_t columns, T* a) const;
  void update(const comm::Communicator& communicator, const Step& s, const Factors& f, T* a,
              const Buffers& b, Traffic& traffic);
  void store_upper(const Step& s, const T* rows, const Upper& upper) const;

  int me_, my_row_, my_column_;  // my_row_: the class of rows this rank owns
  int grid_rows_;                // of a replica
  CyclicClasses rows_, columns_, panels_;
  std::int64_t local_columns_ = 0;  // of this rank
  std::int64_t upper_rows_ = 0;     // and its rows of U
  std::int64_t storage_ = 0;
  std::int64_t message_words_ = 0;
  std::int64_t other_rows_words_ = 0;  // of buffers
  std::int64_t reduced_words_ = 0;
  std::int64_t workspace_ = 0;

  ActiveRows active_;
  DelayedUpdates<T> delayed_;
  PivotRows<T> pivot_rows_;
  std::vector<std::int64_t> pivots_;  // of the current step
  std::vector<T> square_;  // L(P, K) and U(K, K); off the panel only its lower triangle counts
  std::vector<KeptPanel> kept_panels_;
  std::vector<MPI_Request> receives_;
  std::array<std::vector<MPI_Request>, 2> sends_;
};

// The factorization of a matrix in the caller's layout.
template <class T>
class PlacedLu {
 public:
  // Local. `placed`: the matrix in the caller's layout.
  PlacedLu(const comm::Communicator& communicator, layout::Arrangement placed,
           const FactorOptions& options);

  const LuDecomposition& decomposition() const { return decomposition_; }
  std::int64_t workspace() const { return alone_ ? 0 : lu_.storage() + upper_words_ + buffers_; }

  // Returns LAPACK's info and sets the pivots of LuPlan, on all ranks.
  std::int64_t execute(comm::Communicator& communicator, T* a, T* workspace,
                       std::vector<std::int64_t>& pivots, FactorTraffic& traffic);

 private:
  void move_lower(comm::Communicator& communicator, const std::vector<std::int64_t>& order,
                  const T* from, T* to, T* buffers, Traffic& traffic);

  layout::Arrangement placed_;
  LuDecomposition decomposition_;
  Lu<T> lu_;
  // The matrix in a single rank's array, as LAPACK takes it; nothing below is used then.
  std::optional<layout::StoredBlock> alone_;
  std::vector<comm::Transfer<T>> moves_;  // in, and U out
  // Where U goes right to the caller's array, stored as there; else it has words of its own.
  std::optional<layout::StoredBlock> upper_in_place_;
  std::int64_t upper_words_ = 0;
  std::int64_t buffers_ = 0;
};

}  // namespace redblue::linalg
