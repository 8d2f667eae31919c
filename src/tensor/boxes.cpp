// SPDX-License-Identifier: BSD-3-Clause
#include "tensor/boxes.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "decomposition/einsum/chain/homes.hpp"

namespace redblue::tensor {

using einsum::TensorCell;
using layout::IndexSet;
using layout::Interval;

namespace {

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

std::int64_t elements(const std::vector<TensorCell>& cells) {
  return cells.empty() ? 0 : cells.back().shares.block.rows.end;
}

// One column whose elements stand on each rank in these intervals.
layout::Arrangement one_column(std::int64_t elements, std::vector<std::vector<Interval>> of_rank) {
  layout::Arrangement result;
  result.rows = elements;
  result.columns = 1;
  for (std::vector<Interval>& intervals : of_rank) {
    result.of_rank.emplace_back();
    if (intervals.empty()) continue;
    layout::Patch patch;
    patch.rows = IndexSet(std::move(intervals));
    patch.columns = IndexSet(Range{0, 1});
    patch.leading = std::max<std::int64_t>(1, patch.rows.size());
    result.of_rank.back().push_back(std::move(patch));
  }
  return result;
}

void append(std::vector<Interval>& intervals, const Interval& next) {
  if (next.begin == next.end) return;
  if (!intervals.empty()) {
    Interval& last = intervals.back();
    const bool follows =
        last.end == next.begin && last.position + last.end - last.begin == next.position;
    if (follows) {
      last.end = next.end;
      return;
    }
  }
  intervals.push_back(next);
}

// For each cell whether it is all that its only rank needs in this round.
std::vector<bool> in_place(const std::vector<TensorCell>& cells, int ranks, std::int64_t round) {
  std::vector<int> count(at(ranks), 0);
  for (const TensorCell& cell : cells) {
    for (std::size_t t = 0; t < cell.shares.needers.size(); ++t)
      count[at(cell.shares.needers[t])] += cell.rounds[t] == round ? 1 : 0;
  }
  std::vector<bool> result;
  for (const TensorCell& cell : cells) {
    const std::vector<int>& who = cell.shares.needers;
    result.push_back(who.size() == 1 && cell.rounds[0] == round && count[at(who[0])] == 1);
  }
  return result;
}

// The shares of the cells for which keep(number of the cell).
template <class Keep>
layout::Arrangement shares(const std::vector<TensorCell>& cells, int ranks, Keep keep) {
  std::vector<std::vector<Interval>> of_rank(at(ranks));
  std::vector<std::int64_t> next(at(ranks), 0);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Cell& cell = cells[c].shares;
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      const std::size_t rank = at(cell.needers[t]);
      const std::int64_t begin = cell.block.rows.begin + cell.begins[t];
      if (keep(c)) append(of_rank[rank], {begin, begin + cell.share(t), next[rank]});
      next[rank] += cell.share(t);
    }
  }
  return one_column(elements(cells), std::move(of_rank));
}

}  // namespace

layout::Arrangement owned_arrangement(const std::vector<TensorCell>& cells, int ranks) {
  return shares(cells, ranks, [](std::size_t) { return true; });
}

layout::Arrangement reduced_arrangement(const std::vector<TensorCell>& cells, int ranks,
                                        std::int64_t round) {
  const std::vector<bool> stays = in_place(cells, ranks, round);
  return shares(cells, ranks, [&](std::size_t c) {
    const std::vector<std::int64_t>& rounds = cells[c].rounds;
    return !stays[c] && std::find(rounds.begin(), rounds.end(), round) != rounds.end();
  });
}

std::vector<EinsumPart> owned_parts(const std::vector<TensorCell>& cells, Rank rank) {
  std::vector<EinsumPart> parts;
  std::int64_t next = 0;
  for (const TensorCell& cell : cells) {
    const std::vector<int>& who = cell.shares.needers;
    const auto me = std::lower_bound(who.begin(), who.end(), rank.value);
    if (me == who.end() || *me != rank.value) continue;
    const auto t = static_cast<std::size_t>(me - who.begin());
    if (cell.shares.share(t) == 0) continue;
    parts.push_back({cell.ranges, cell.shares.begins[t], cell.shares.begins[t + 1], next});
    next += cell.shares.share(t);
  }
  return parts;
}

std::vector<EinsumPart> line_parts(const EinsumShape& shape, const EinsumTensor& tensor,
                                   const std::vector<einsum::Piece>& pieces) {
  const einsum::Places places = einsum::places_of(shape, tensor);
  std::vector<EinsumPart> parts;
  for (const einsum::Piece& piece : pieces) {
    if (piece.words() == 0) continue;
    const std::size_t lines = piece.ranges.empty() ? 0 : piece.ranges.size() - 1;
    std::vector<Range> line = piece.ranges;  // in the order of the letters
    for (std::size_t t = 0; t < lines; ++t) line[t].end = line[t].begin + 1;
    for (;;) {
      EinsumPart part;
      part.ranges.resize(line.size());
      part.offset = piece.offset;
      for (std::size_t t = 0; t < line.size(); ++t) {
        part.ranges[t] = line[places[t]];
        part.offset += (line[t].begin - piece.ranges[t].begin) * piece.strides[t];
      }
      part.end = line.empty() ? 1 : line.back().size();
      parts.push_back(std::move(part));
      std::size_t t = lines;
      while (t-- > 0) {
        ++line[t].begin;
        if (line[t].end++ < piece.ranges[t].end) break;
        line[t] = {piece.ranges[t].begin, piece.ranges[t].begin + 1};
      }
      if (t == static_cast<std::size_t>(-1)) break;
    }
  }
  return parts;
}

NeededBox needed_box(const EinsumShape& shape, const EinsumDecomposition& decomposition,
                     std::size_t tensor, const std::vector<TensorCell>& cells, Rank rank,
                     std::int64_t round) {
  const std::int64_t since =
      einsum::held_since(shape.tensors[tensor], decomposition, at(rank.value), round);
  if (since != round) {
    NeededBox held = needed_box(shape, decomposition, tensor, cells, rank, since);
    held.is_there = true;
    return held;
  }
  NeededBox result;
  const bool in_rounds = einsum::rounds_of(shape.tensors[tensor], decomposition) > 1;
  const EinsumBox box =
      in_rounds ? decomposition.box(at(rank.value), round) : decomposition.boxes[at(rank.value)];
  const EinsumTensor& a = shape.tensors[tensor];
  if (!box.works) {
    result.ranges.resize(a.indices.size());
    return result;
  }
  result.ranges = einsum::projection(a, box);
  std::int64_t owned = 0;
  for (const TensorCell& cell : cells) {
    const std::vector<int>& who = cell.shares.needers;
    const auto me = std::lower_bound(who.begin(), who.end(), rank.value);
    if (me == who.end() || *me != rank.value) continue;
    const auto t = static_cast<std::size_t>(me - who.begin());
    if (cell.rounds[t] == round) {
      result.cells.push_back(&cell);
      if (who.size() == 1) result.in_place = owned;
    }
    owned += cell.shares.share(t);
  }
  if (result.cells.size() != 1) result.in_place.reset();
  return result;
}

layout::Arrangement needed_arrangement(const std::vector<TensorCell>& cells, int ranks,
                                       std::int64_t round) {
  const std::vector<bool> stays = in_place(cells, ranks, round);
  std::vector<std::vector<Interval>> of_rank(at(ranks));
  std::vector<std::int64_t> next(at(ranks), 0);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Cell& cell = cells[c].shares;
    const Range& numbers = cell.block.rows;
    for (std::size_t t = 0; t < cell.needers.size() && !stays[c]; ++t) {
      if (cells[c].rounds[t] != round) continue;
      const std::size_t rank = at(cell.needers[t]);
      append(of_rank[rank], {numbers.begin, numbers.end, next[rank]});
      next[rank] += numbers.size();
    }
  }
  return one_column(elements(cells), std::move(of_rank));
}

template <class T>
void rearrange(const NeededBox& box, Direction direction, const T* from, T* to) {
  std::vector<std::int64_t> strides;
  std::int64_t next = 1;
  for (const Range& r : box.ranges) {
    strides.push_back(next);
    next *= r.size();
  }
  std::int64_t packed = 0;  // place in the cells
  for (const TensorCell* cell : box.cells) {
    std::int64_t line = 1;
    std::int64_t place = 0;  // in the box
    for (std::size_t t = 0; t < box.ranges.size(); ++t) {
      place += (cell->ranges[t].begin - box.ranges[t].begin) * strides[t];
      if (t == 0) line = cell->ranges[t].size();
    }
    std::vector<std::int64_t> position(box.ranges.size(), 0);
    for (std::int64_t done = 0; done < cell->shares.block.size(); done += line) {
      if (direction == Direction::to_box) {
        std::copy_n(from + packed, line, to + place);
      } else {
        std::copy_n(from + place, line, to + packed);
      }
      packed += line;
      for (std::size_t t = 1; t < position.size(); ++t) {
        place += strides[t];
        if (++position[t] < cell->ranges[t].size()) break;
        place -= strides[t] * cell->ranges[t].size();
        position[t] = 0;
      }
    }
  }
}

template void rearrange(const NeededBox&, Direction, const float*, float*);
template void rearrange(const NeededBox&, Direction, const double*, double*);
template void rearrange(const NeededBox&, Direction, const std::complex<float>*,
                        std::complex<float>*);
template void rearrange(const NeededBox&, Direction, const std::complex<double>*,
                        std::complex<double>*);

}  // namespace redblue::tensor
