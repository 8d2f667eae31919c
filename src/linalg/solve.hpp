// Solving with triangular factors in the caller's layouts: which ranks, which layouts, and what
// moves in between.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/buffer.hpp"
#include "linalg/substitution.hpp"
#include "redblue/solve.hpp"

namespace redblue::linalg {

// One substitution: op(T) X = B for one triangle of the matrix T stands in.
struct Pass {
  Triangle triangle = Triangle::lower;
  Op op = Op::none;
  bool unit = false;

  bool transposed() const { return op != Op::none; }
  bool backward() const { return (triangle == Triangle::upper) != transposed(); }
};

struct SolveSetup {
  std::vector<Pass> passes;               // in turn
  Layout triangles;                       // square
  layout::Part part = layout::Part::all;  // of it that the passes read
  layout::Arrangement sides;              // B and X
  bool conjugate_sides = false;           // what is solved for are the conjugates
  FactorOptions options;
};

// A grid's share of a matrix in square blocks, as this rank finds it in the caller's array.
struct HeldGrid {
  std::int64_t block = 1;
  int rows = 1;
  int columns = 1;
  GridRanks ranks;
  std::int64_t offset = 0;
  std::int64_t leading = 1;
};

// The layout as blocks of a square matrix dealt out to a grid from its first rank on, where it is
// that.
std::optional<HeldGrid> held_grid(const Layout& layout, Rank me);

// The passes for a triangular solve; what the right side means for B is in `sides`.
SolveSetup setup_of(const TrsmLayouts& layouts, int ranks);

// The passes with the factors of a matrix, as CholeskyPlan and LuPlan leave them.
SolveSetup cholesky_setup(Triangle triangle, const Layout& factor, const Layout& b, int ranks);
SolveSetup lu_setup(Op op, const Layout& factors, const Layout& b, int ranks);

// Which row of A each row of P A is, from its exchanges.
std::vector<std::int64_t> row_order(const std::vector<std::int64_t>& pivots, std::int64_t rows);

template <class T>
class PlacedSolve {
 public:
  // Local.
  PlacedSolve(const comm::Communicator& communicator, const SolveSetup& setup);

  const TrsmDecomposition& decomposition() const { return decomposition_; }
  std::int64_t workspace() const { return buffers_at_ + buffers_; }

  // Where rows are given, in order, B's rows are taken (`before`) or X's are left in that order:
  // row i of what is solved for is row rows[i] of the matrix.
  struct RowOrder {
    const std::vector<std::int64_t>* rows = nullptr;
    bool before = true;
  };

  // b = alpha * what the passes make of it.
  void execute(const comm::Communicator& communicator, T alpha, const T* triangles, T* b,
               const RowOrder& order, T* workspace, SolveTraffic& traffic);

 private:
  // Where a permuted matrix lies while its rows are brought into order within each rank.
  layout::Arrangement staged(const std::vector<std::int64_t>& rows, std::size_t pass) const;
  void reorder(const std::vector<std::int64_t>& rows, std::size_t pass, const T* staged, T* x,
               bool before) const;
  void take(const comm::Communicator& communicator, const T* b, const RowOrder& order, T* workspace,
            SolveTraffic& traffic);
  void leave(const comm::Communicator& communicator, T* b, const RowOrder& order, T* workspace,
             SolveTraffic& traffic);
  T* more(std::int64_t words, T* workspace);

  SolveSetup setup_;
  int me_;
  TrsmDecomposition decomposition_;         // of the first pass
  std::vector<layout::Arrangement> sides_;  // of the passes
  std::vector<Substitution<T>> substitutions_;
  HeldGrid grid_;
  std::optional<comm::Transfer<T>> triangle_in_;  // none: it stays where it lies
  std::vector<std::optional<comm::Transfer<T>>> between_;
  std::optional<comm::Transfer<T>> in_, out_;
  std::int64_t x_at_ = 0;        // behind the copy of T, if any
  std::int64_t staging_at_ = 0;  // a second X
  std::int64_t buffers_at_ = 0;
  std::int64_t buffers_ = 0;
  Buffer<T> more_;  // where rows in an order that only a call knows need larger buffers
};

}  // namespace redblue::linalg
