// SPDX-License-Identifier: BSD-3-Clause
// QR factorization by panels on a grid of ranks: TSQR [demmel2012] with reconstructed Householder
// vectors [ballard2014], compact WY updates.
//
// For a panel of columns K, w of them, from row k on, in the grid column that has it:
//
//   rows of K and of few to the root   stack_rows        a message from each that has some
//   A(I, K) = Q_I R_I                  factor_rows       geqrt3, I the rows of a rank
//   [R_I; R_J] = [M_I; M_J] R          reduce            up a tree of ranks; triangles all
//   Q(K, :) - S = L U, T = -U S L^-H   finish_top_rows   at the root
//   X_I = M_I .. U^-1, T               send_down         down the tree
//   V(I, :) = Q_I X_I                  make_vectors      gemm; L in the first w rows; R becomes S R
//
// and in all grid columns, C the columns behind K:
//
//   V(I, :), T                         exchange_vectors  broadcast along the grid row
//   W = V^H C, Z = T^H W, C -= V Z     update            gemm; W is added up, Z shared by doubling
//
// Groups of panels are applied at once to what is behind the group, C there, panel by panel only to
// the columns within. With V = [V1 V2 ..] and local products W = V^H C, W2 lacks what panel 1 does
// to C, V2^H V1 Z1: of a rank's own rows, so that it is subtracted before W2 is added up, and the
// words are those of panels applied one by one.
//
// S is diagonal, of 1 and -1: the signs that make pivots at least 1. Ranks that would be left with
// fewer rows than w hand all of theirs to the root, so that triangles have no rows that A has not.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/qr/steps.hpp"
#include "redblue/qr_model.hpp"
#include "redblue/traffic.hpp"

namespace redblue::linalg {

// A rank's part of a block-cyclic matrix.
template <class T>
struct LocalPart {
  T* data;
  std::int64_t leading;
};

// A panel as a rank sees it.
struct QrStep {
  QrPanel panel;
  std::int64_t width;
  std::int64_t rows;               // of this rank, from the panel's first on
  std::int64_t position;           // of the first of them
  std::vector<std::int64_t> tops;  // which of the panel's first `width` rows are this rank's
  // In its group: this rank's rows from the group's first on, those of them above `rows`, and the
  // panel's number and first column.
  std::int64_t group_rows, above, number, column;
};

// Parts of a rank's workspace. Small matrices have columns of `width` words.
template <class T>
struct QrWorkspace {
  T* stack;             // rows that are factored, then V of them
  T* vectors;           // V of a group and this rank's rows, zeros above the panels, without gaps
  T* messages;          // every panel's T packed
  T* sums;              // W of a group
  T* product;           // W of a panel
  T* added;             // as large
  T* squares;           // triangles
  T* triangles;         // every panel's T
  T* gram;              // V^H V of a group
  T* received;          // at the root: others' rows
  std::int64_t widest;  // columns of a panel

  enum Square : std::int64_t {
    r,
    t_of_rows,
    x,  // what Q_I is multiplied by
    y,  // T of the rows times V1^H X
    other,
    scratch,  // 3
    u = scratch + 3,
    own_tops,  // the final rows of R and L that this rank has, without gaps
    final_rows,
    packed,  // 2: messages
    sent = packed + 2,
    next,
    blocks,  // of every child in the tree two: this rank's and the child's
  };
  // What is sent to the children is packed where their blocks were.
  T* square(std::int64_t number) const { return squares + number * widest * widest; }
  // Of a panel: its rows of V, `group_rows` from column to column; T; T packed.
  T* vectors_of(const QrStep& s) const { return vectors + s.column * s.group_rows + s.above; }
  T* triangle(const QrStep& s) const { return triangles + s.number * widest * widest; }
  T* message(const QrStep& s) const { return messages + s.number * triangle_words(widest); }
};

template <class T>
class Qr {
 public:
  // Panels of the first `reflectors` columns. Local.
  Qr(const QrDecomposition& decomposition, Rank me, std::int64_t reflectors);

  bool idle() const { return row_ < 0; }
  int grid_row() const { return row_; }
  int grid_column() const { return column_; }
  const QrSteps& steps() const { return steps_; }
  std::int64_t local_rows() const { return idle() ? 0 : steps_.rows_from(row_, 0); }
  std::int64_t local_columns() const { return idle() ? 0 : steps_.columns_from(column_, 0); }
  // Words beside the matrix for factor() and form(), or for apply() to so many local columns.
  std::int64_t workspace() const { return workspace(local_columns()); }
  std::int64_t workspace(std::int64_t columns) const {
    return idle() ? 0 : qr_buffers(steps_, row_, columns).total();
  }

  // tau: all min(m, n), on every rank of the grid.
  void factor(const comm::Communicator& communicator, const LocalPart<T>& a, T* tau, T* memory,
              Traffic& traffic);
  // Q's first n columns in place of A. tau: one for each reflector, read in the grid column that
  // has the panel.
  void form(const comm::Communicator& communicator, const LocalPart<T>& a, const T* tau, T* memory,
            Traffic& traffic);
  // C = Q C or Q^H C, columns[q] of C in grid column q.
  void apply(const comm::Communicator& communicator, bool adjoint, const LocalPart<const T>& a,
             const T* tau, const LocalPart<T>& c, const std::vector<std::int64_t>& columns,
             T* memory, Traffic& traffic);

 private:
  struct Panel;  // one panel's factorization (panel.cpp)

  std::vector<QrStep> steps_of(const QrGroup& group) const;
  QrWorkspace<T> parts(T* memory, std::int64_t columns) const;
  Rank rank_at(int row, int column) const {
    return d_.places[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_columns_) +
                     static_cast<std::size_t>(column)];
  }
  // Of C's columns in every grid column, those from number `column` of the matrix on.
  std::vector<std::int64_t> columns_from(std::int64_t column) const;

  void factor_panel(const comm::Communicator& communicator, const QrStep& s, T* a,
                    std::int64_t leading, const QrWorkspace<T>& w, Traffic& traffic);
  // V and T from A and tau, in the panel's grid column.
  void load_vectors(const comm::Communicator& communicator, const QrStep& s, const T* a,
                    std::int64_t leading, const T* tau, const QrWorkspace<T>& w, Traffic& traffic);
  // From the panel's grid column to the others, where they have columns of C; tau to all, unless
  // it is null.
  void exchange_vectors(const comm::Communicator& communicator, const QrStep& s,
                        const std::vector<std::int64_t>& columns, T* tau, const QrWorkspace<T>& w,
                        Traffic& traffic);
  // C = H C of panels one after the other in a group: H = H1 H2 .., or (adjoint) its adjoint. c:
  // from the rows of the first on. A panel leaves all but the last columns[panel] of C on this rank
  // alone; the first has most, and C has no others.
  void update(const comm::Communicator& communicator, const QrStep* steps,
              const std::vector<std::int64_t>& columns, bool adjoint, const LocalPart<T>& c,
              const QrWorkspace<T>& w, Traffic& traffic);
  // W of one panel, `width` words a column, from all ranks; Z in its place.
  void add_and_multiply(const comm::Communicator& communicator, const QrStep& s, bool adjoint,
                        std::int64_t columns, T* product, const QrWorkspace<T>& w,
                        Traffic& traffic);
  // By doubling among the ranks of this grid column with rows in the step.
  void add_up(const comm::Communicator& communicator, const std::vector<int>& members,
              const std::vector<std::int64_t>& pieces, T* block, T* staging, Traffic& traffic);
  void share(const comm::Communicator& communicator, const std::vector<int>& members,
             const std::vector<std::int64_t>& pieces, T* block, Traffic& traffic);
  void set_identity(const LocalPart<T>& a, std::int64_t first, std::int64_t end) const;

  QrDecomposition d_;
  QrSteps steps_;
  int grid_columns_;
  int row_ = -1, column_ = -1;
  std::vector<MPI_Request> sends_;
};

}  // namespace redblue::linalg
