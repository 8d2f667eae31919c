// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/sequential.hpp"

#include <algorithm>

#include "stencil/chunk.hpp"
#include "stencil/model/box.hpp"

namespace redblue::stencil {

namespace {

// The mesh, on a torus with the values around it that sweeps read.
MeshBox with_surroundings(const Sweeps& sweeps) {
  const MeshBox mesh = whole_mesh(sweeps.program());
  MeshBox all = mesh;
  for (const StencilSweep& s : sweeps.program().sweeps) {
    for (const StencilRead& r : s.reads) {
      if (sweeps.periodic()) all = hull(all, grown(mesh, r.below, r.above));
    }
  }
  return all;
}

// Around the mesh, the values of the other sides.
template <class T>
void wrap(Chunk<T>& chunk, const MeshBox& mesh, int field, int buffer) {
  std::vector<MeshBox> outside;
  append_difference(chunk.storage(), mesh, outside);
  MeshIndex sheet;
  for (sheet[0] = -1; sheet[0] <= 1; ++sheet[0]) {
    for (sheet[1] = -1; sheet[1] <= 1; ++sheet[1]) {
      for (sheet[2] = -1; sheet[2] <= 1; ++sheet[2]) {
        MeshIndex shift;
        for (std::size_t j = 0; j < most_dimensions; ++j) shift[j] = sheet[j] * mesh.end[j];
        for (const MeshBox& b : outside) {
          const MeshBox part = intersection(b, shifted(mesh, shift));
          if (!part.empty()) chunk.copy(field, buffer, part, chunk, shift);
        }
      }
    }
  }
}

}  // namespace

template <class T>
void run_sequentially(const StencilProgram& program, const std::vector<StencilUpdate<T>>& updates,
                      std::vector<std::vector<T>>& fields, std::int64_t steps,
                      std::int64_t first_step) {
  const Sweeps sweeps(program);
  const MeshBox mesh = whole_mesh(program);
  Chunk<T> chunk(sweeps, with_surroundings(sweeps));
  std::vector<T> memory(static_cast<std::size_t>(chunk.words()));
  chunk.use(memory.data());
  for (int f = 0; f < program.fields; ++f) {
    for (int buffer = 0; buffer < (sweeps.two_buffers(f) ? 2 : 1); ++buffer) {
      chunk.unpack(f, buffer, mesh, fields[static_cast<std::size_t>(f)].data());
    }
    if (sweeps.periodic()) wrap(chunk, mesh, f, 0);
  }
  std::vector<FieldView<T>> views(sweeps.fields());
  const std::int64_t last = steps * sweeps.per_step();
  for (std::int64_t t = 0; t < last; ++t) {
    const StencilSweep& sweep = sweeps.at(t);
    for (int f = 0; f < program.fields; ++f) {
      views[static_cast<std::size_t>(f)] = chunk.view(f, sweeps.buffer(f, t));
    }
    const int set = sweeps.buffer(sweep.field, t + 1);
    StencilCall<T> call;
    call.sweep = static_cast<int>(t % sweeps.per_step());
    call.step = first_step + t / sweeps.per_step();
    call.box = sweep.interior;
    call.fields = views;
    call.target = chunk.view(sweep.field, set);
    updates[static_cast<std::size_t>(call.sweep)](call);
    if (sweeps.periodic()) wrap(chunk, mesh, sweep.field, set);
  }
  for (int f = 0; f < program.fields; ++f) {
    chunk.pack(f, sweeps.buffer(f, last), mesh, fields[static_cast<std::size_t>(f)].data());
  }
}

template void run_sequentially<float>(const StencilProgram&,
                                      const std::vector<StencilUpdate<float>>&,
                                      std::vector<std::vector<float>>&, std::int64_t, std::int64_t);
template void run_sequentially<double>(const StencilProgram&,
                                       const std::vector<StencilUpdate<double>>&,
                                       std::vector<std::vector<double>>&, std::int64_t,
                                       std::int64_t);

}  // namespace redblue::stencil
