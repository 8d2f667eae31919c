// ScaLAPACK's two-dimensional block-cyclic layout: who owns an element, and where it lies.
#pragma once

#include <cstdint>

namespace redblue::layout {

// One direction of a block-cyclic distribution: the first `first` indices go to process `source` of
// `processes`, then `block` indices in a row to each process in turn.
struct Cyclic {
  std::int64_t block = 1;
  int source = 0;
  int processes = 1;
  std::int64_t first = 1;  // most often equal to block

  // Number of the block an index stands in, counted from 0.
  std::int64_t block_of(std::int64_t index) const {
    return index < first ? 0 : 1 + (index - first) / block;
  }
  int owner(std::int64_t index) const {
    return static_cast<int>((block_of(index) + source) % processes);
  }
  // Position of the index in its owner's local array.
  std::int64_t local(std::int64_t index) const {
    if (index < first) return index;
    const std::int64_t b = block_of(index);
    const std::int64_t earlier = b / processes * block + (b % processes == 0 ? first - block : 0);
    return earlier + (index - first) % block;
  }
  // First index after the block of `index`.
  std::int64_t block_end(std::int64_t index) const { return first + block_of(index) * block; }

  // How many of the indices 0 .. extent-1 a process owns (ScaLAPACK's numroc).
  std::int64_t count(std::int64_t extent, int process) const;
};

// A matrix over a process grid, stored column-major with leading dimension `leading` on the process
// at hand; the submatrix that starts at (first_row, first_column), transposed if asked.
struct BlockCyclicView {
  Cyclic rows, columns;
  std::int64_t first_row = 0;
  std::int64_t first_column = 0;
  std::int64_t leading = 1;
  bool transposed = false;
};

// Consecutive elements down a column of the view that one process owns.
struct Run {
  std::int64_t local = 0;   // where the first lies in the process's array
  std::int64_t stride = 1;  // from one to the next
  std::int64_t length = 0;
};

// Calls f(run) for the runs of elements (row .. row + length - 1, column) of the view that process
// (process_row, process_column) owns, and skip(n) for n elements owned by others; in order.
template <class OnRun, class OnSkip>
void for_each_run(const BlockCyclicView& view, int process_row, int process_column,
                  std::int64_t row, std::int64_t column, std::int64_t length, OnRun on_run,
                  OnSkip on_skip) {
  // `across` is fixed along the view's column, `along` runs with it.
  const Cyclic& along = view.transposed ? view.columns : view.rows;
  const Cyclic& across = view.transposed ? view.rows : view.columns;
  const std::int64_t along_first = view.transposed ? view.first_column : view.first_row;
  const std::int64_t across_index = column + (view.transposed ? view.first_row : view.first_column);
  const int along_process = view.transposed ? process_column : process_row;
  const int across_process = view.transposed ? process_row : process_column;
  if (across.owner(across_index) != across_process) {
    on_skip(length);
    return;
  }
  const std::int64_t fixed = across.local(across_index);
  for (std::int64_t index = along_first + row, end = index + length; index < end;) {
    const std::int64_t next = along.block_end(index) < end ? along.block_end(index) : end;
    if (along.owner(index) == along_process) {
      const std::int64_t moving = along.local(index);
      on_run(view.transposed ? Run{fixed + moving * view.leading, view.leading, next - index}
                             : Run{moving + fixed * view.leading, 1, next - index});
    } else {
      on_skip(next - index);
    }
    index = next;
  }
}

}  // namespace redblue::layout
