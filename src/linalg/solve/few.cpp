// SPDX-License-Identifier: BSD-3-Clause
// Plans of solves with few right-hand sides.
#include <algorithm>
#include <complex>
#include <utility>

#include "comm/number.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "linalg/solve/solve.hpp"

namespace redblue::linalg {

using comm::Communicator;

bool has_few_right_hand_sides(const SolveSetup& setup) {
  constexpr std::int64_t few = 32;
  return setup.rhs.columns <= few && !setup.options.memory;
}

SolveSetup setup_of(const TrsvLayouts& layouts, int ranks) {
  SolveSetup setup;
  setup.passes.push_back({layouts.triangle, layouts.op, layouts.unit});
  setup.triangles = layouts.t;
  setup.part = layouts.triangle == Triangle::lower ? layout::Part::lower : layout::Part::upper;
  setup.rhs = arrangement_of(layouts.x, Op::none, ranks);
  if (setup.rhs.columns != 1 && setup.rhs.rows == 1) {
    setup.rhs = layout::transposed(std::move(setup.rhs));
  }
  return setup;
}

TrsvPath path_of(Communicator& communicator, const std::vector<solve::HalfStep>& half_steps) {
  const std::int64_t count = communicator.maximum(static_cast<std::int64_t>(half_steps.size()));
  std::vector<double> most;  // exact: far below 2^53
  for (const solve::HalfStep& h : half_steps) {
    most.push_back(static_cast<double>(h.operations));
    most.push_back(static_cast<double>(h.words));
    most.push_back(static_cast<double>(h.messages));
  }
  most.resize(static_cast<std::size_t>(3 * count));
  communicator.maximum(most);
  TrsvPath path;
  for (std::size_t h = 0; h < most.size(); h += 3) {
    path.operations += most[h];
    path.words += Words(static_cast<std::int64_t>(most[h + 1]));
    path.synchronisations += most[h + 2] > 0 ? 1 : 0;
  }
  return path;
}

namespace {

// The options as the ranks find their machine: where they share processors, a message waits for
// the other rank's turn.
FactorOptions options_here(const Communicator& communicator, FactorOptions options) {
  constexpr double turn = 2e-5;  // seconds
  if (communicator.oversubscribed()) {
    options.machine.latency_seconds = std::max(options.machine.latency_seconds, turn);
  }
  return options;
}

TrsvRequest request_of(const Communicator& communicator, const SolveSetup& setup,
                       TrsvScheme scheme) {
  TrsvRequest request;
  request.scheme = scheme;
  request.n = setup.rhs.rows;
  request.m = setup.rhs.columns;
  request.ranks = communicator.size();
  request.options = options_here(communicator, setup.options);
  return request;
}

TrsmDecomposition sizes_of(const TrsvDecomposition& d) {
  TrsmDecomposition sizes;
  sizes.n = d.n;
  sizes.m = d.m;
  sizes.ranks = d.ranks;
  return sizes;
}

}  // namespace

template <class T>
void PlacedSolve<T>::plan_steps(const Communicator& communicator) {
  const std::optional<CallerGrid> grid = caller_grid(setup_.triangles, communicator.rank());
  TrsvRequest request = request_of(communicator, setup_, TrsvScheme::in_place);
  request.layout_block = grid ? grid->block : 1;
  request.grid_rows = grid ? grid->rows : 0;
  request.grid_columns = grid ? grid->columns : 0;
  const Pass& first = setup_.passes.front();
  few_ = choose_trsv(request);
  few_->transposed = first.transposed();
  few_->backward = first.backward();
  decomposition_ = sizes_of(*few_);
  for (const Pass& pass : setup_.passes) {
    solve::StepwiseSetup steps;
    steps.how = *few_;
    steps.how.transposed = pass.transposed();
    steps.how.backward = pass.backward();
    steps.triangle = arrangement_of(setup_.triangles, Op::none, communicator.size());
    steps.part = pass.triangle == Triangle::lower ? layout::Part::lower : layout::Part::upper;
    steps.op = letter(pass.op);
    steps.unit = pass.unit;
    rhs_.push_back(solve::rhs_arrangement(steps));
    methods_.emplace_back(solve::Stepwise<T>(steps, communicator.rank()));
  }
}

template <class T>
void PlacedSolve<T>::plan_wavefront(const Communicator& communicator) {
  const Pass& pass = setup_.passes.front();
  const std::optional<CallerGrid> grid = caller_grid(setup_.triangles, communicator.rank());
  const int across = grid ? (pass.transposed() ? grid->rows : grid->columns) : 0;
  const int down = grid ? (pass.transposed() ? grid->columns : grid->rows) : 0;
  TrsvRequest request = request_of(communicator, setup_, TrsvScheme::wavefront);
  // panels that lie as they should stay
  if (down == 1 && !request.options.block) request.options.block = grid->block;
  few_ = choose_trsv(request);
  few_->transposed = pass.transposed();
  few_->backward = pass.backward();
  decomposition_ = sizes_of(*few_);
  if (down == 1 && few_->block == grid->block) {
    grid_ = *grid;
    few_->ranks = across;
  } else {
    TrsmDecomposition panels = decomposition_;
    panels.block = few_->block;
    panels.grid_columns = few_->ranks;
    bring_triangle(communicator, panels);
  }
  rhs_.push_back(solve::rhs_arrangement(*few_, grid_.ranks, communicator.size()));
  methods_.emplace_back(solve::Wavefront<T>(*few_, grid_.ranks, communicator.rank()));
}

template <class T>
const std::vector<solve::HalfStep>& PlacedSolve<T>::half_steps() const {
  if (const auto* steps = std::get_if<solve::Stepwise<T>>(&methods_.front())) {
    return steps->half_steps();
  }
  return std::get<solve::Wavefront<T>>(methods_.front()).half_steps();
}

#define REDBLUE_INSTANTIATE(T)                                       \
  template void PlacedSolve<T>::plan_steps(const Communicator&);     \
  template void PlacedSolve<T>::plan_wavefront(const Communicator&); \
  template const std::vector<solve::HalfStep>& PlacedSolve<T>::half_steps() const;
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg
