// SPDX-License-Identifier: BSD-3-Clause
// A lower triangular matrix, or the transposed of an upper one, on a grid of ranks, as one rank
// sees it; what the steps of an inversion do with it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/inverse/inverse.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/plan/caller_grid.hpp"

namespace redblue::linalg::inverse {

// A rank's place on the grid.
struct Place {
  InverseSteps steps;
  std::vector<int> ranks;  // of (row, column) at [row * steps.across.classes + column]
  int row = -1;            // -1: this rank has none
  int column = -1;

  bool inside() const { return row >= 0; }
  Rank at(int r, int c) const { return rank_at(ranks, steps.across.classes, r, c); }
  bool owns_row(std::int64_t k) const { return steps.down.of_block(k) == row; }
  bool owns_column(std::int64_t k) const { return steps.across.of_block(k) == column; }
};

Place place_of(const InverseSteps& steps, const std::vector<int>& ranks, Rank me);
Place transposed(const Place& place);

// Elements in a rank's array; if `transposed`, as the array holds the transposed matrix.
template <class T>
struct View {
  T* data = nullptr;
  std::int64_t leading = 1;
  bool transposed = false;

  View at(std::int64_t row, std::int64_t column) const {
    return {data + (transposed ? column + row * leading : row + column * leading), leading,
            transposed};
  }
  T& operator()(std::int64_t row, std::int64_t column) const { return *at(row, column).data; }
  // Calls f(row, column, element) for rows x columns of them, in the order of storage.
  template <class F>
  void for_each(std::int64_t rows, std::int64_t columns, F f) const {
    const std::int64_t lines = transposed ? rows : columns;
    const std::int64_t length = transposed ? columns : rows;
    for (std::int64_t l = 0; l < lines; ++l) {
      T* line = data + l * leading;
      for (std::int64_t e = 0; e < length; ++e) {
        if (transposed) {
          f(l, e, line[e]);
        } else {
          f(e, l, line[e]);
        }
      }
    }
  }
};

// Panels are packed column-major as the lower triangular matrix has them, without gaps.
template <class T, class U>
void copy_out(const View<T>& view, std::int64_t rows, std::int64_t columns, U* packed) {
  view.for_each(rows, columns, [packed, rows](std::int64_t r, std::int64_t c, const U& x) {
    packed[r + c * rows] = x;
  });
}
template <class T>
void copy_in(const T* packed, std::int64_t rows, std::int64_t columns, const View<T>& view) {
  view.for_each(rows, columns,
                [packed, rows](std::int64_t r, std::int64_t c, T& x) { x = packed[r + c * rows]; });
}
template <class T>
void clear(const View<T>& view, std::int64_t rows, std::int64_t columns) {
  view.for_each(rows, columns, [](std::int64_t, std::int64_t, T& x) { x = T(0); });
}

// view += alpha a b, rows x depth and depth x columns; neither factor is conjugated.
template <class T>
void add_product(const View<T>& view, std::int64_t rows, std::int64_t columns, std::int64_t depth,
                 T alpha, blas::Factor<T> a, blas::Factor<T> b) {
  if (rows == 0 || columns == 0) return;
  if (view.transposed) {
    a.op = a.op == 'N' ? 'T' : 'N';
    b.op = b.op == 'N' ? 'T' : 'N';
    blas::gemm(columns, rows, depth, alpha, b, a, T(1), view.data, view.leading);
  } else {
    blas::gemm(rows, columns, depth, alpha, a, b, T(1), view.data, view.leading);
  }
}
// view -= a b, both packed.
template <class T>
void subtract(const View<T>& view, std::int64_t rows, std::int64_t columns, std::int64_t depth,
              const T* a, const T* b) {
  add_product<T>(view, rows, columns, depth, T(-1), {a, rows}, {b, depth});
}

// Where blocks of a class stand in a panel of the class, of `height` words an index, that begins
// with index `first` of the class.
inline std::vector<comm::Run> runs_of(const std::vector<std::int64_t>& blocks,
                                      const CyclicClasses& positions, std::int64_t height,
                                      std::int64_t first = 0) {
  std::vector<comm::Run> result;
  for (const std::int64_t b : blocks) {
    comm::append(result,
                 {height * (positions.position(b) - first), height * positions.block_size(b)});
  }
  return result;
}

// The lower triangle of an order x order square, from its diagonal (behind it: strictly), by
// columns; returns the number of words.
template <class T>
std::int64_t pack_triangle(const T* square, std::int64_t leading, std::int64_t order, bool strictly,
                           T* packed) {
  T* next = packed;
  for (std::int64_t c = 0; c < order; ++c) {
    const std::int64_t first = strictly ? c + 1 : c;
    next = std::copy_n(square + first + c * leading, order - first, next);
  }
  return next - packed;
}
template <class T>
void unpack_triangle(const T* packed, std::int64_t order, bool strictly, T* square) {
  for (std::int64_t c = 0; c < order; ++c) {
    const std::int64_t first = strictly ? c + 1 : c;
    std::copy_n(packed, order - first, square + first + c * order);
    packed += order - first;
  }
}

// Memory that a step's messages are sent from, which stays untouched in the next step.
template <class T>
struct Panels {
  T* column;    // rows x width
  T* row;       // width x columns
  T* other;     // of a square: the same of its transposed
  T* triangle;  // packed
  T* square;    // width x width
  T* inverted;  // likewise

  // Of all steps; and those of one in such memory.
  static std::int64_t words(const Place& place) { return 2 * of_step(place); }
  Panels(const Place& place, std::int64_t step, T* memory) {
    const std::int64_t block = place.steps.down.block;
    T* next = memory + step % 2 * of_step(place);
    const auto take = [&next](std::int64_t words) { return std::exchange(next, next + words); };
    column = take(block * place.steps.down.size(place.row));
    row = take(block * place.steps.across.size(place.column));
    other = column;  // a square has no column panels
    triangle = take(block * block);
    square = take(block * block);
    inverted = take(block * block);
  }

 private:
  static std::int64_t of_step(const Place& place) {
    if (!place.inside()) return 0;
    const std::int64_t block = place.steps.down.block;
    return block *
           (place.steps.down.size(place.row) + place.steps.across.size(place.column) + 3 * block);
  }
};

// Messages of the steps: those sent in one are waited for at the start of the next but one.
class StepMessages {
 public:
  StepMessages(const comm::Communicator& communicator, Traffic& traffic)
      : communicator_(communicator), traffic_(traffic) {}

  void begin_step() {
    comm::Communicator::wait(earlier_);
    std::swap(earlier_, sends_);
  }
  template <class T>
  void send(Rank to, int tag, const T* words, const std::vector<comm::Run>& runs) {
    communicator_.send(words, comm::Message::of<T>(to, tag, runs), sends_, traffic_);
  }
  template <class T>
  void receive(Rank from, int tag, T* words, const std::vector<comm::Run>& runs) {
    communicator_.receive(words, comm::Message::of<T>(from, tag, runs), receives_, traffic_);
  }
  void await() { comm::Communicator::wait(receives_); }
  void finish() {
    comm::Communicator::wait(earlier_);
    comm::Communicator::wait(sends_);
  }

 private:
  const comm::Communicator& communicator_;
  Traffic& traffic_;
  std::vector<MPI_Request> sends_, earlier_, receives_;
};

// The steps k = 0 .. of sweep.step(k, At(place, k, memory)), sweep = make(messages).
template <class At, class T, class Make>
void run_steps(const comm::Communicator& communicator, const Place& place, T* memory,
               Traffic& traffic, Make make) {
  if (!place.inside()) return;
  StepMessages messages(communicator, traffic);
  auto sweep = make(messages);
  for (std::int64_t k = 0; k < place.steps.count(); ++k) {
    messages.begin_step();
    sweep.step(k, At(place, k, memory));
  }
  messages.finish();
}

enum Tag { triangle_tag = 4, row_tag, column_tag, other_tag };

}  // namespace redblue::linalg::inverse
