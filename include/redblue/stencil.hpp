// SPDX-License-Identifier: BSD-3-Clause
// Iterated stencils in parallel on MPI, bit for bit what the sequential program computes.
//
// As in redblue/gemm.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none. T is float or double; a word is one element.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "redblue/stencil_model.hpp"
#include "redblue/traffic.hpp"

namespace redblue {

// Part of a field in memory: the value at mesh point i is at data[sum over j of (i[j] - first[j]) *
// stride[j]]. The last dimension in use has stride 1.
template <class T>
struct FieldView {
  T* data = nullptr;
  MeshIndex first = {0, 0, 0};
  MeshIndex stride = {1, 1, 1};

  T* at(const MeshIndex& i) const {
    return data + (i[0] - first[0]) * stride[0] + (i[1] - first[1]) * stride[1] +
           (i[2] - first[2]) * stride[2];
  }
};

// "Do sweep `sweep` of time step `step` (from 0) at the points of `box`." `fields[f]` is to be read
// around the box as far as the sweep reads field f (in a periodic mesh also where the index is
// outside the mesh: the values are there), `target` is to be set in the box. `target` and
// fields[field of the sweep] are one memory unless the sweep reads its field at other points. Boxes
// are inside the mesh: indices are those of the sequential program.
template <class T>
struct StencilCall {
  int sweep = 0;
  std::int64_t step = 0;
  MeshBox box;
  std::span<const FieldView<T>> fields;
  FieldView<T> target;
};

// The user's update of one sweep: any function of a call; it must compute the same whatever boxes
// the interior is cut into. May be a lambda, or a wrapper around a function of another library.
template <class T>
using StencilUpdate = std::function<void(const StencilCall<T>&)>;

// The values around one point.
template <class T>
class StencilPoint {
 public:
  StencilPoint(const T* const* rows, const MeshIndex* strides, std::int64_t at)
      : rows_(rows), strides_(strides), at_(at) {}

  // Of field 0 at a distance.
  T operator()(std::int64_t x0) const { return of(0, x0); }
  T operator()(std::int64_t x0, std::int64_t x1) const { return of(0, x0, x1); }
  T operator()(std::int64_t x0, std::int64_t x1, std::int64_t x2) const {
    return of(0, x0, x1, x2);
  }
  // Of any field.
  T of(int field, std::int64_t x0) const { return rows_[field][at_ + x0]; }
  T of(int field, std::int64_t x0, std::int64_t x1) const {
    return rows_[field][at_ + x0 * strides_[field][0] + x1];
  }
  T of(int field, std::int64_t x0, std::int64_t x1, std::int64_t x2) const {
    return rows_[field][at_ + x0 * strides_[field][0] + x1 * strides_[field][1] + x2];
  }

 private:
  const T* const* rows_;  // per field, where the row of points begins
  const MeshIndex* strides_;
  std::int64_t at_;  // along the row
};

// An update from a function of one point: T f(const StencilPoint<T>& old), for instance
//   update_points<double>(2, [](const auto& old) {
//     return 0.25 * (old(-1, 0) + old(1, 0) + old(0, -1) + old(0, 1)); });
template <class T, class F>
StencilUpdate<T> update_points(int dimensions, F f) {
  return [dimensions, f](const StencilCall<T>& call) {
    constexpr std::size_t most_fields = 16;
    const auto along = static_cast<std::size_t>(dimensions - 1);
    const std::size_t fields = std::min(most_fields, call.fields.size());
    const std::int64_t length = call.box.end[along] - call.box.begin[along];
    const T* rows[most_fields];
    MeshIndex strides[most_fields];
    for (std::size_t g = 0; g < fields; ++g) strides[g] = call.fields[g].stride;
    MeshIndex outer_end = call.box.end;
    outer_end[along] = call.box.begin[along] + 1;
    MeshIndex i = call.box.begin;
    for (i[0] = call.box.begin[0]; i[0] < outer_end[0]; ++i[0]) {
      for (i[1] = call.box.begin[1]; i[1] < outer_end[1]; ++i[1]) {
        for (i[2] = call.box.begin[2]; i[2] < outer_end[2]; ++i[2]) {
          for (std::size_t g = 0; g < fields; ++g) rows[g] = call.fields[g].at(i);
          T* const target = call.target.at(i);
#ifndef __clang__  // which would warn of it
#pragma GCC ivdep
#endif
          for (std::int64_t x = 0; x < length; ++x) {
            target[x] = f(StencilPoint<T>(rows, strides, x));
          }
        }
      }
    }
  };
}

struct StencilOptions {
  std::int64_t steps = 1;               // per execution, what the choice is made for
  std::optional<StencilScheme> scheme;  // none: chosen by predicted time, and so on
  std::optional<std::int64_t> depth;
  std::optional<std::int64_t> side;
  std::optional<StencilDecomposition> decomposition;  // instead of all three: just this
  std::optional<Words> memory;  // per rank: fields, halos, copies and buffers; none: unlimited
  Machine machine;
  std::optional<double> seconds_per_update;  // gamma; none: measured in some milliseconds
  bool overlap = true;  // pa0, pa1: compute what needs no halo while halos travel
};

// What one rank did in an execution.
struct StencilTraffic {
  Traffic exchange;                   // between ranks
  std::int64_t synchronisations = 0;  // exchanges this rank took part in
  std::int64_t updates = 0;           // points computed
};

// A stencil program on the ranks of a communicator, planned once, executed any number of times.
template <class T>
class StencilPlan {
 public:
  // One update per sweep. Throws Error like plan_stencil, where ranks ask for different things, or
  // when a rank cannot allocate its arrays.
  StencilPlan(MPI_Comm communicator, const StencilProgram& program,
              std::vector<StencilUpdate<T>> updates, const StencilOptions& options = {});
  ~StencilPlan();
  StencilPlan(StencilPlan&&) noexcept;
  StencilPlan& operator=(StencilPlan&&) noexcept;

  const StencilProgram& program() const;              // local
  const StencilDecomposition& decomposition() const;  // local
  const StencilCost& predicted() const;               // local: of options.steps steps
  const std::vector<StencilBlock>& blocks() const;    // local: what this rank owns of every field
  std::vector<StencilBlock> blocks(Rank rank) const;  // local: of any rank
  Words owned() const;                                // local: words of each array this rank passes
  Words memory() const;  // local: words this rank holds beside the caller's arrays

  // Does time steps first_step .. first_step + steps - 1 in place. fields[f]: this rank's blocks of
  // field f, owned() words; may be null where that is 0. Allocates nothing where `steps` is that of
  // the options or of the execution before.
  void execute(std::span<T* const> fields, std::int64_t steps, std::int64_t first_step = 0);

  const StencilTraffic& traffic() const;  // of the last execution on this rank. Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
