// SPDX-License-Identifier: BSD-3-Clause
// Who does what in each step of a QR factorization.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "redblue/qr_model.hpp"
#include "redblue/units.hpp"

namespace redblue {

// In the caller's layout, whatever its blocks.
QrDecomposition qr_in_place(const BlockCyclic& layout, int ranks,
                            std::optional<std::int64_t> block = std::nullopt);

// The layout of the transposed matrix on the same ranks. (Each would store its part by rows.)
BlockCyclic transposed(const BlockCyclic& layout);

// For so many vectors, stored with their rows where a matrix in this layout has its own.
QrDecomposition qr_beside(const BlockCyclic& layout, int ranks, std::int64_t vectors);

struct QrPanel {
  Range columns;
  int grid_column;

  std::int64_t begin() const { return columns.begin; }  // of its rows, too
  std::int64_t width() const { return columns.size(); }
};

// Panels one after the other that are applied at once to what is behind them all, so that products
// have more rows. What is sent is the same.
struct QrGroup {
  std::vector<QrPanel> panels;

  std::int64_t begin() const { return panels.front().begin(); }
  std::int64_t end() const { return panels.back().columns.end; }
  std::int64_t width() const { return end() - begin(); }
};

// Rows that a rank hands to the root, from its first on.
struct QrGiver {
  int row;  // of the grid
  std::int64_t rows;
};

// The ranks of the grid column that factors a panel, by their grid rows. The panel's first rows, as
// many as it has columns, come to the root, and all of ranks that would not have as many left.
struct QrRoles {
  int root;
  std::vector<int> members;  // factor rows of their own, the root first
  std::vector<QrGiver> givers;
  std::vector<int> others;  // beside the members, ascending: they need T only
  std::vector<int> active;  // have rows at all, ascending
};

// A binomial tree of places 0, 1, ..: a place's children, the nearest first, are place + 1, + 2,
// + 4, .., up to the lowest bit of its own number.
std::vector<int> tree_children(int place, int places);
int tree_parent(int place);

// Elements of an upper triangle.
constexpr std::int64_t triangle_words(std::int64_t order) {
  return order * (order + 1) / 2;
}

class QrSteps {
 public:
  explicit QrSteps(const QrDecomposition& decomposition)
      : QrSteps(decomposition, std::min(decomposition.m, decomposition.n)) {}
  // Panels of the first `reflectors` columns only.
  QrSteps(const QrDecomposition& decomposition, std::int64_t reflectors);

  const std::vector<QrGroup>& groups() const { return groups_; }
  // The local position of a grid row's first row at or behind `row`, and how many there are.
  std::int64_t row_position(int grid_row, std::int64_t row) const {
    return d_.down.count(row, grid_row);
  }
  std::int64_t rows_from(int grid_row, std::int64_t row) const {
    return d_.down.count(d_.m, grid_row) - row_position(grid_row, row);
  }
  std::int64_t column_position(int grid_column, std::int64_t column) const {
    return d_.across.count(column, grid_column);
  }
  std::int64_t columns_from(int grid_column, std::int64_t column) const {
    return d_.across.count(d_.n, grid_column) - column_position(grid_column, column);
  }
  // Of the panel's first rows, as many as it has columns, those of a grid row: counted from the
  // panel's begin, ascending.
  std::vector<std::int64_t> top_rows(const QrPanel& panel, int grid_row) const;
  std::int64_t count_top_rows(const QrPanel& panel, int grid_row) const {
    return row_position(grid_row, panel.columns.end) - row_position(grid_row, panel.begin());
  }
  // Elements of V in a grid row that are known, on and above V's diagonal.
  std::int64_t known_vectors(const QrPanel& panel, int grid_row) const;
  QrRoles roles(const QrPanel& panel) const;
  std::vector<int> active(std::int64_t row) const;  // grid rows with rows at or behind it

  // Most rows that a rank of the grid row factors at a time, its own and others'.
  std::int64_t most_rows(int grid_row) const;
  std::int64_t widest() const { return widest_; }
  std::int64_t widest_group() const { return widest_group_; }
  std::int64_t most_panels() const { return most_panels_; }  // of a group
  int grid_rows() const { return d_.grid_rows(); }

 private:
  QrDecomposition d_;
  std::vector<QrGroup> groups_;
  std::int64_t widest_ = 0;
  std::int64_t widest_group_ = 0;
  std::int64_t most_panels_ = 0;
};

// Words of a rank's buffers.
struct QrBuffers {
  std::int64_t stack;     // rows that are factored
  std::int64_t vectors;   // V of a group, and every panel's T behind it
  std::int64_t sums;      // V^H C of a group
  std::int64_t product;   // of a panel, and as many that are added to it
  std::int64_t squares;   // triangles and blocks as wide as a panel, and what of them is under way
  std::int64_t group;     // every panel's T; V^H V of the group
  std::int64_t received;  // others' rows at the root
  std::int64_t total() const {
    return stack + vectors + sums + 2 * product + squares + group + received;
  }
};
// How many squares of a panel's width a rank works with, beside two for each child in the tree.
constexpr std::int64_t qr_squares = 16;
// For products with at most so many columns of C.
QrBuffers qr_buffers(const QrSteps& steps, int grid_row, std::int64_t columns);

// Even pieces of so many columns with `height` words each: where they begin, in words.
std::vector<std::int64_t> column_pieces(std::int64_t columns, std::int64_t height,
                                        std::int64_t pieces);

}  // namespace redblue
