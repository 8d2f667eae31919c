// SPDX-License-Identifier: BSD-3-Clause
// A stencil program as the sequence of its sweeps, numbered through all time steps from 0.
#pragma once

#include <cstdint>
#include <vector>

#include "redblue/stencil_model.hpp"

namespace redblue::stencil {

class Sweeps {
 public:
  explicit Sweeps(const StencilProgram& program);  // throws Error like check_stencil

  const StencilProgram& program() const { return program_; }
  std::size_t fields() const { return static_cast<std::size_t>(program_.fields); }
  bool periodic() const { return program_.boundary == StencilBoundary::periodic; }
  std::int64_t per_step() const { return static_cast<std::int64_t>(program_.sweeps.size()); }
  // Sweep number t >= 0.
  const StencilSweep& at(std::int64_t t) const {
    return program_.sweeps[static_cast<std::size_t>(t % per_step())];
  }
  // Whether the field has two buffers, because a sweep reads it at other points than it sets.
  bool two_buffers(int field) const { return two_buffers_[static_cast<std::size_t>(field)]; }
  // Which of them has the field's values before sweep t; 0 at t = 0.
  int buffer(int field, std::int64_t t) const;
  // Where the field is set by any sweep; empty for one that is only read.
  const MeshBox& set_points(int field) const {
    return set_points_[static_cast<std::size_t>(field)];
  }
  // The least box around everything that is set: the work to be shared.
  const MeshBox& worked_on() const { return worked_on_; }

 private:
  StencilProgram program_;
  std::vector<bool> two_buffers_;
  std::vector<std::vector<int>> writes_before_;  // per field, of each sweep of a step; then of all
  std::vector<MeshBox> set_points_;
  MeshBox worked_on_;
};

// How far a tile's sides move from sweep to sweep so that every value it reads is its own, or
// older than all its sweeps, and so that it replaces no value that anybody else still reads. Sweep
// first + t of a tile that starts as [begin, end) covers [begin + lower[t], end - upper[t]).
// Neither ever decreases.
struct Slopes {
  std::vector<MeshIndex> lower, upper;
};

// Of sweeps first .. first + count - 1.
Slopes slopes(const Sweeps& sweeps, std::int64_t first, std::int64_t count);

// The same, lower and upper alike: what both directions of Schedule 1 can do.
Slopes symmetric_slopes(const Sweeps& sweeps, std::int64_t first, std::int64_t count);

}  // namespace redblue::stencil
