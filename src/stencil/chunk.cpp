// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/chunk.hpp"

#include <algorithm>

#include "stencil/model/box.hpp"

namespace redblue::stencil {

template <class T>
Chunk<T>::Chunk(const Sweeps& sweeps, const MeshBox& storage)
    : along_(static_cast<std::size_t>(sweeps.program().dimensions - 1)), storage_(storage) {
  stride_ = {storage.size(1) * storage.size(2), storage.size(2), 1};
  for (int f = 0; f < sweeps.program().fields; ++f) {
    std::array<std::int64_t, 2> at = {words_, words_};
    words_ += storage.points();
    if (sweeps.two_buffers(f)) {
      at[1] = words_;
      words_ += storage.points();
    }
    offsets_.push_back(at);
  }
}

template <class T>
FieldView<T> Chunk<T>::view(int field, int buffer) const {
  FieldView<T> v;
  v.data = memory_ + offsets_[static_cast<std::size_t>(field)][static_cast<std::size_t>(buffer)];
  v.first = storage_.begin;
  v.stride = stride_;
  return v;
}

template <class T>
T* Chunk<T>::pack(int field, int buffer, const MeshBox& box, T* to) const {
  const FieldView<T> v = view(field, buffer);
  const std::int64_t length = box.end[along_] - box.begin[along_];
  for_each_row(box, along_, [&](const MeshIndex& i) { to = std::copy_n(v.at(i), length, to); });
  return to;
}

template <class T>
const T* Chunk<T>::unpack(int field, int buffer, const MeshBox& box, const T* from) const {
  const FieldView<T> v = view(field, buffer);
  const std::int64_t length = box.end[along_] - box.begin[along_];
  for_each_row(box, along_, [&](const MeshIndex& i) {
    std::copy_n(from, length, v.at(i));
    from += length;
  });
  return from;
}

template <class T>
void Chunk<T>::copy(int field, int buffer, const MeshBox& box, const Chunk& source,
                    const MeshIndex& shift) {
  const FieldView<T> to = view(field, buffer);
  FieldView<T> from = source.view(field, buffer);
  for (std::size_t j = 0; j < most_dimensions; ++j) from.first[j] += shift[j];
  const std::int64_t length = box.end[along_] - box.begin[along_];
  for_each_row(box, along_, [&](const MeshIndex& i) { std::copy_n(from.at(i), length, to.at(i)); });
}

template <class T>
TileRunner<T>::TileRunner(const Sweeps& sweeps, const std::vector<StencilUpdate<T>>& updates)
    : sweeps_(sweeps), updates_(updates), views_(sweeps.fields()) {}

template <class T>
void TileRunner<T>::block(const CacheBlocking& blocking) {
  blocking_ = blocking;
  slopes_ = slopes(sweeps_, 0, blocking.depth);
}

template <class T>
std::int64_t TileRunner<T>::run(const Chunk<T>& chunk, const std::vector<TileSweep>& tile,
                                std::int64_t pass, std::int64_t step) {
  std::int64_t points = 0;
  for (const TileSweep& s : tile) points += s.box.points();
  const bool strips = blocking_.width != MeshIndex{0, 0, 0};
  const TileSweep* const end = tile.data() + tile.size();
  for (const TileSweep* s = tile.data(); s != end;) {
    const TileSweep* last = s + 1;
    if (strips) {
      const std::int64_t group = s->sweep / blocking_.depth;
      while (last != end && last->sweep / blocking_.depth == group) ++last;
    }
    if (last - s > 1) {
      run_strips(chunk, s, last, pass, step);
    } else {
      sweep(chunk, pass + s->sweep, s->box, step);
    }
    s = last;
  }
  return points;
}

// Strips in lexicographic order; in each, the sweeps, moved back from one to the next.
template <class T>
void TileRunner<T>::run_strips(const Chunk<T>& chunk, const TileSweep* first, const TileSweep* last,
                               std::int64_t pass, std::int64_t step) {
  const auto moved = [this](const TileSweep& s) -> const MeshIndex& {
    return slopes_.upper[static_cast<std::size_t>(s.sweep % blocking_.depth)];
  };
  MeshBox all = no_points();  // of all sweeps, moved forth again
  for (const TileSweep* s = first; s != last; ++s) all = hull(all, shifted(s->box, moved(*s)));
  MeshIndex width = blocking_.width;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    if (width[j] == 0) width[j] = all.end[j] - all.begin[j];
  }
  MeshIndex at = all.begin;
  for (at[0] = all.begin[0]; at[0] < all.end[0]; at[0] += width[0]) {
    for (at[1] = all.begin[1]; at[1] < all.end[1]; at[1] += width[1]) {
      for (at[2] = all.begin[2]; at[2] < all.end[2]; at[2] += width[2]) {
        for (const TileSweep* s = first; s != last; ++s) {
          const MeshIndex& back = moved(*s);
          MeshBox strip;
          for (std::size_t j = 0; j < most_dimensions; ++j) {
            strip.begin[j] = at[j] - back[j];
            strip.end[j] = strip.begin[j] + width[j];
          }
          const MeshBox box = intersection(strip, s->box);
          if (!box.empty()) sweep(chunk, pass + s->sweep, box, step);
        }
      }
    }
  }
}

namespace {

// Which copy of the mesh a point of a torus is on.
std::int64_t sheet(std::int64_t point, std::int64_t extent) {
  return point >= 0 ? point / extent : -((extent - 1 - point) / extent);
}

}  // namespace

// On a torus, the parts of the box that are on one sheet at a time, with indices inside the mesh.
template <class T>
void TileRunner<T>::sweep(const Chunk<T>& chunk, std::int64_t number, MeshBox box,
                          std::int64_t step) {
  const MeshIndex& n = sweeps_.program().extents;
  if (contains(whole_mesh(sweeps_.program()), box)) {
    call(chunk, number, box, {0, 0, 0}, step);
    return;
  }
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    const std::int64_t side = (sheet(box.begin[j], n[j]) + 1) * n[j];
    if (box.end[j] <= side) continue;
    MeshBox low = box;
    low.end[j] = side;
    sweep(chunk, number, low, step);
    box.begin[j] = side;
    sweep(chunk, number, box, step);
    return;
  }
  MeshIndex shift;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    shift[j] = -sheet(box.begin[j], n[j]) * n[j];
  }
  call(chunk, number, shifted(box, shift), shift, step);
}

template <class T>
void TileRunner<T>::call(const Chunk<T>& chunk, std::int64_t sweep, const MeshBox& box,
                         const MeshIndex& shift, std::int64_t step) {
  const auto view = [&](int field, int buffer) {
    FieldView<T> v = chunk.view(field, buffer);
    for (std::size_t j = 0; j < most_dimensions; ++j) v.first[j] += shift[j];
    return v;
  };
  for (int f = 0; f < sweeps_.program().fields; ++f) {
    views_[static_cast<std::size_t>(f)] = view(f, sweeps_.buffer(f, sweep));
  }
  const int field = sweeps_.at(sweep).field;
  StencilCall<T> c;
  c.sweep = static_cast<int>(sweep % sweeps_.per_step());
  c.step = step + sweep / sweeps_.per_step();
  c.box = box;
  c.fields = views_;
  c.target = view(field, sweeps_.buffer(field, sweep + 1));
  updates_[static_cast<std::size_t>(c.sweep)](c);
}

template class Chunk<float>;
template class Chunk<double>;
template class TileRunner<float>;
template class TileRunner<double>;

}  // namespace redblue::stencil
