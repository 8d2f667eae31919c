// SPDX-License-Identifier: BSD-3-Clause
// Iterated stencils: what a stencil program is, how P ranks can share one, what that moves, and
// which way is predicted to be fastest. Arithmetic only: no MPI, no data.
//
// A mesh is a box of points in 1, 2 or 3 dimensions; a field is an array over the mesh, a word one
// of its elements. A program's sweeps are executed in order in every time step. Each sets its field
// at all points of a box from fields at neighbouring points.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redblue/machine.hpp"
#include "redblue/units.hpp"

namespace redblue {

// ---------------------------------------------------------------- programs

// One number per dimension. Dimension d - 1 is contiguous in memory; those from d on are not used
// (extent 1, distances 0).
using MeshIndex = std::array<std::int64_t, 3>;

// The points begin[j] <= i[j] < end[j].
struct MeshBox {
  MeshIndex begin = {0, 0, 0};
  MeshIndex end = {1, 1, 1};

  std::int64_t size(int j) const {
    return end[static_cast<std::size_t>(j)] - begin[static_cast<std::size_t>(j)];
  }
  bool empty() const { return size(0) <= 0 || size(1) <= 0 || size(2) <= 0; }
  std::int64_t points() const { return empty() ? 0 : size(0) * size(1) * size(2); }
  bool operator==(const MeshBox&) const = default;
};

// To set its field at i, a sweep reads `field` at i + x, -below[j] <= x[j] <= above[j].
struct StencilRead {
  int field = 0;
  MeshIndex below = {0, 0, 0};
  MeshIndex above = {0, 0, 0};
  // Only where at most one x[j] is not 0: halos then leave out what the first sweep after an
  // exchange does not read, the corners as wide as the radius; they are boxes otherwise.
  bool star = false;
};

// Sets `field` at the points of `interior`; elsewhere it keeps its values. A sweep that reads its
// own field at neighbouring points reads what was there before the sweep (new = f(old), two
// buffers that are swapped), never what the sweep has set already: a Gauss-Seidel sweep is no such
// program. All sweeps that set such a field must read it likewise and have one interior.
struct StencilSweep {
  int field = 0;
  MeshBox interior;
  std::vector<StencilRead> reads;
};

// fixed: no sweep reads outside the mesh, the points beside the interior are the boundary.
// periodic: the mesh is a torus, and every interior the whole mesh.
enum class StencilBoundary { fixed, periodic };

struct StencilProgram {
  int dimensions = 1;
  MeshIndex extents = {1, 1, 1};
  int fields = 1;
  StencilBoundary boundary = StencilBoundary::fixed;
  std::vector<StencilSweep> sweeps;
};

// new = f(old) on one field: a star or box of this radius in every dimension; fixed: on all points
// that are at least `radius` away from the sides of the mesh. Throws Error like check_stencil.
StencilProgram stencil_program(int dimensions, std::int64_t extent, std::int64_t radius, bool star,
                               StencilBoundary boundary);

// Operations of one update of the average over the points that stencil_program's sweep reads: as
// many as there are points.
std::int64_t flops_per_update(const StencilProgram& program);

// Throws Error where there is no such program: dimensions other than 1, 2, 3, a mesh smaller than a
// radius, an interior outside the mesh, empty, or (periodic) not all of it, a fixed boundary with
// reads outside the mesh, a field that does not exist, more than 16 fields or 2^53 points.
void check_stencil(const StencilProgram& program);

// ---------------------------------------------------------------- schemes

// pa0: halos before every step. pa1: halos deep enough for `depth` steps, the points in them
// computed by several ranks [demmel2008]. trapezoid: `depth` steps without redundant work, in
// d + 1 rounds: first what depends on the rank's own block alone, last what depends on neighbours
// in all dimensions [tang2011]. outer_blocked: Schedule 1 of [solomonik2016]: all ranks work in one
// block of the mesh after the other, `side` points each per dimension, through `depth` steps,
// forward, then backward; fixed boundaries only.
enum class StencilScheme { pa0, pa1, trapezoid, outer_blocked };

// "pa0", "pa1", "trapezoid", "outer-blocked".
std::string name(StencilScheme scheme);

// A grid of ranks, rank = (q0 * grid[1] + q1) * grid[2] + q2; ranks behind the last idle. pa0, pa1
// and trapezoid cut the mesh into one block per rank, evenly; outer_blocked deals blocks of `side`
// points per dimension out cyclically.
struct StencilDecomposition {
  StencilScheme scheme = StencilScheme::pa0;
  int ranks = 1;
  std::array<int, 3> grid = {1, 1, 1};
  std::int64_t depth = 1;      // steps per round: b of PA1 and trapezoids, b~ of Schedule 1
  MeshIndex side = {1, 1, 1};  // r of Schedule 1

  int used() const { return grid[0] * grid[1] * grid[2]; }
  std::string name() const;  // "pa1, depth 8, grid 4 x 4"
};

// A box of the mesh that a rank owns: what it passes to a plan and gets back, row-major,
// `offset` words into its array of every field.
struct StencilBlock {
  MeshBox box;
  std::int64_t offset = 0;
};

// What `rank` owns, in the order in which it is stored; empty for ranks that idle. O(blocks).
std::vector<StencilBlock> blocks_of(const StencilProgram& program,
                                    const StencilDecomposition& decomposition, Rank rank);

// ---------------------------------------------------------------- costs

// Each is that of the rank with the most of it.
struct StencilCost {
  Words words;                        // received: W
  Messages messages;                  // received
  std::int64_t synchronisations = 0;  // exchanges that the rank takes part in, one by one: S
  std::int64_t stages = 0;            // of the schedule: what is computed between two exchanges
  std::int64_t updates = 0;           // points computed, redundant ones included: F
  Words memory;                       // fields with halos and copies, and buffers
  Words memory_traffic;               // between last cache and main memory, estimated: W^
  double seconds = 0;                 // alpha S + beta W + gamma F + nu W^
};

// How fast ranks are, each alone on its processor. gamma, the time of one update, is a property of
// the user's kernel: StencilPlan measures it before it chooses, and the others. Without it: one
// flop for each point read.
struct StencilRates {
  std::optional<double> seconds_per_update;  // gamma, of a rank's part of the mesh in caches
  std::int64_t word_bytes = 8;
  // gamma of tiles that fit into a core's own cache; none: as of others
  std::optional<double> seconds_per_blocked_update;
  double seconds_per_row = 0;  // beside gamma, for each row of points computed
  // Into a message's buffer and, at its other end, out of it.
  double seconds_per_moved_word = 0;
  double seconds_per_moved_row = 0;  // beside its words
};

// Exact but for memory_traffic and seconds: to the word what StencilPlan counts for this many
// steps. O(distinct rounds * neighbours) for each kind of rank. Throws Error like choose_stencil.
StencilCost cost_of(const StencilProgram& program, const StencilDecomposition& decomposition,
                    std::int64_t steps, const Machine& machine, const StencilRates& rates = {});

// What is not given is chosen, by the predicted seconds.
struct StencilPlanRequest {
  StencilProgram program;
  std::int64_t steps = 1;
  int ranks = 1;
  std::optional<StencilScheme> scheme;
  std::optional<std::int64_t> depth;  // b, b~
  std::optional<std::int64_t> side;   // r
  std::optional<Words> memory;        // per rank, everything the run holds
  Machine machine;
  StencilRates rates;
};

struct StencilAlternative {
  StencilDecomposition decomposition;
  StencilCost cost;
};

struct StencilPlanReport {
  StencilDecomposition decomposition;
  StencilCost cost;
  std::vector<StencilAlternative> alternatives;  // the best of every scheme that can be used
};

// Throws Error for a program that is none, ranks < 1, steps < 0, a depth or side < 1 or too large
// for the mesh or its blocks, Schedule 1 of a periodic mesh, and memory below every way's need.
StencilPlanReport plan_stencil(const StencilPlanRequest& request);

// The same without alternatives.
StencilDecomposition choose_stencil(const StencilPlanRequest& request);

}  // namespace redblue
