// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/refine/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>

#include "comm/number.hpp"
#include "decomposition/ownership.hpp"
#include "linalg/plan/caller_layouts.hpp"

namespace redblue::linalg {

using comm::Communicator;

namespace {

// |re| + |im|, as LAPACK measures elements here.
template <class T>
auto size_of(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(x);
  } else {
    return std::abs(x.real()) + std::abs(x.imag());
  }
}

std::int64_t order_of(const Layout& layout, int ranks) {
  return layout::arrangement(layout, ranks).rows;
}

// As even as can be.
BlockGrid spread_by_rows(std::int64_t n, std::int64_t columns, int ranks) {
  BlockGrid grid;
  grid.column_cuts = {0, columns};
  for (int r = 0; r < ranks; ++r) {
    grid.row_cuts.push_back(round_of({0, n}, r, ranks).end);
    grid.owners.push_back(Rank{r});
  }
  return grid;
}

VectorShare share_of(const BlockGrid& grid, Rank me) {
  const auto r = static_cast<std::size_t>(me.value);
  return {grid.row_cuts.back(), grid.row_cuts[r], grid.row_cuts[r + 1], grid.column_cuts.back()};
}

}  // namespace

template <class T>
FactoredSolves<T>::FactoredSolves(const Communicator& communicator, const FactoredLayouts& layouts,
                                  std::int64_t columns)
    : op_(layouts.op) {
  const int ranks = communicator.size();
  by_rows_ = spread_by_rows(order_of(layouts.factors, ranks), columns, ranks);
  share_ = share_of(by_rows_, communicator.rank());
  if (layouts.definite) {
    solves_.emplace_back(communicator,
                         cholesky_setup(layouts.triangle, layouts.factors, by_rows_, ranks));
    return;
  }
  const Op adjoint = op_ == Op::none ? Op::conjugate_transpose : Op::none;
  for (const Op op : {op_, adjoint}) {
    solves_.emplace_back(communicator, lu_setup(op, layouts.factors, by_rows_, ranks));
  }
}

template <class T>
std::int64_t FactoredSolves<T>::workspace() const {
  std::int64_t most = 0;
  for (const PlacedSolve<T>& s : solves_) most = std::max(most, s.workspace());
  return most;
}

template <class T>
void FactoredSolves<T>::solve(const Communicator& communicator, bool adjoint, const T* factors,
                              const std::vector<std::int64_t>* rows, T* x, T* workspace,
                              Traffic& traffic) {
  const bool other = adjoint && solves_.size() > 1;
  SolveTraffic moved;
  // before the passes where it is A that is solved with
  const bool before = (op_ == Op::none) != other;
  solves_[other ? 1 : 0].execute(communicator, T(1), factors, x, {rows, before}, workspace, moved);
  traffic += moved.total();
}

template <class T>
double reciprocal_condition(Communicator& communicator, FactoredSolves<T>& solves, bool adjoint,
                            double norm, const T* factors, T* workspace, Traffic& traffic) {
  const std::vector<double> inverse =
      estimated_norms<T>(communicator, solves.share(), [&](bool other, T* x) {
        solves.solve(communicator, other != adjoint, factors, nullptr, x, workspace, traffic);
      });
  // also where it is not a number
  if (!std::isfinite(inverse[0]) || inverse[0] == 0 || norm == 0) return 0;
  return 1 / inverse[0] / norm;
}

template <class T>
Refinement<T>::Refinement(Communicator& communicator, const RefinementLayouts& layouts)
    : own_(local_patches(layouts.a, communicator)),
      a_words_(array_words(layouts.a, communicator.rank()).value),
      solves_(communicator, layouts.factored,
              layout::arrangement(layouts.b, communicator.size()).columns),
      share_(solves_.share()),
      product_(
          product<T>(communicator, layouts, !std::is_floating_point_v<T>, layouts.factored.op)),
      of_sizes_(product<Real>(communicator, layouts, false,
                              layouts.factored.op == Op::none ? Op::none : Op::transpose)) {
  const int ranks = communicator.size();
  const layout::Arrangement rows = layout::arrangement(solves_.layout(), ranks);
  const layout::Arrangement x = layout::arrangement(layouts.x, ranks);
  b_in_.emplace(communicator, layout::arrangement(layouts.b, ranks), rows, comm::TransferOptions{});
  x_in_.emplace(communicator, x, rows, comm::TransferOptions{});
  x_out_.emplace(communicator, rows, x, comm::TransferOptions{});
  workspace_ = std::max({solves_.workspace(), product_.workspace(), of_sizes_.workspace(),
                         b_in_->buffer(), x_in_->buffer(), x_out_->buffer()});
}

template <class T>
template <class U>
typename Refinement<T>::template Product<U> Refinement<T>::product(Communicator& communicator,
                                                                   const RefinementLayouts& layouts,
                                                                   bool hermitian, Op op) const {
  const int ranks = communicator.size();
  const Layout& vectors = solves_.layout();
  Product<U> result;
  if (layouts.factored.definite) {
    TriangleProductSetup setup = setup_of(
        SymmLayouts{hermitian, Side::left, layouts.factored.triangle, layouts.a, vectors, vectors},
        ranks);
    decompose(setup, {{share_.n, share_.columns}, ranks, {}, Objective::words, {}});
    result.definite.emplace(communicator, setup);
  } else {
    result.general.emplace(
        choose_multiplication<U>(
            communicator, {share_.n, share_.columns, share_.n},
            setup_of(GemmLayouts{op, layouts.a, Op::none, vectors, vectors}, ranks), GemmOptions{})
            .multiplication);
  }
  return result;
}

// y += alpha op(A) x.
template <class T>
template <class U>
void Refinement<T>::multiply(const Communicator& communicator, Product<U>& product, U alpha,
                             const U* a, const U* x, U* y, U* workspace, Traffic& traffic) {
  GemmTraffic moved;
  if (product.definite) {
    product.definite->execute(communicator, alpha, a, x, U(1), y, workspace, moved);
  } else {
    product.general->execute(communicator, alpha, a, x, U(1), y, workspace, moved);
  }
  traffic += moved.total();
}

// R = B - op(A) X, W = |op(A)| |X| + |B|.
template <class T>
void Refinement<T>::find_residual(const Communicator& communicator, const RefinedSystem<T>& system,
                                  Vectors& v, T* workspace, Traffic& traffic) {
  v.residual = v.b;
  multiply<T>(communicator, product_, T(-1), system.a, v.x.data(), v.residual.data(), workspace,
              traffic);
  std::vector<Real> of_x(v.x.size());
  for (std::size_t i = 0; i < of_x.size(); ++i) {
    of_x[i] = size_of(v.x[i]);
    v.weights[i] = size_of(v.b[i]);
  }
  multiply<Real>(communicator, of_sizes_, Real(1), v.sizes.data(), of_x.data(), v.weights.data(),
                 reinterpret_cast<Real*>(workspace), traffic);
}

template <class Real>
struct Limits {
  explicit Limits(std::int64_t n) : entries(static_cast<double>(n + 1)) {}

  double entries;  // of a row of A, and one of B
  double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
  double small() const { return entries * static_cast<double>(std::numeric_limits<Real>::min()); }
};

template <class T>
std::vector<double> Refinement<T>::backward_errors(Communicator& communicator,
                                                   const Vectors& v) const {
  const Limits<Real> limits(share_.n);
  std::vector<double> errors(static_cast<std::size_t>(share_.columns));
  std::size_t i = 0;
  for (double& error : errors) {
    for (std::int64_t r = 0; r < share_.rows(); ++r, ++i) {
      const auto rest = static_cast<double>(size_of(v.residual[i]));
      const auto weight = static_cast<double>(v.weights[i]);
      const double added = weight > limits.small() / limits.epsilon ? 0 : limits.small();
      error = std::max(error, (rest + added) / (weight + added));
    }
  }
  communicator.maximum(errors);
  return errors;
}

template <class T>
std::vector<double> Refinement<T>::forward_errors(Communicator& communicator,
                                                  const RefinedSystem<T>& system, Vectors& v,
                                                  T* workspace, Traffic& traffic) {
  const Limits<Real> limits(share_.n);
  for (std::size_t i = 0; i < v.weights.size(); ++i) {
    const auto weight = static_cast<double>(v.weights[i]);
    const double added = weight > limits.small() / limits.epsilon ? 0 : limits.small();
    v.weights[i] = static_cast<Real>(static_cast<double>(size_of(v.residual[i])) +
                                     limits.entries * limits.epsilon * weight + added);
  }
  const auto scale = [&](T* x) {
    for (std::size_t i = 0; i < v.weights.size(); ++i) x[i] *= v.weights[i];
  };
  // the infinity-norm of op(A)^-1 diag(W) is the 1-norm of the adjoint, diag(W) op(A)'^-1
  std::vector<double> errors = estimated_norms<T>(communicator, share_, [&](bool adjoint, T* x) {
    if (adjoint) scale(x);
    solves_.solve(communicator, !adjoint, system.factors, system.rows, x, workspace, traffic);
    if (!adjoint) scale(x);
  });
  std::vector<double> largest(errors.size());
  std::size_t i = 0;
  for (double& most : largest) {
    for (std::int64_t r = 0; r < share_.rows(); ++r, ++i) {
      most = std::max(most, static_cast<double>(size_of(v.x[i])));
    }
  }
  communicator.maximum(largest);
  for (std::size_t c = 0; c < errors.size(); ++c) {
    if (largest[c] != 0) errors[c] /= largest[c];
  }
  return errors;
}

template <class T>
ErrorBounds Refinement<T>::execute(Communicator& communicator, const RefinedSystem<T>& system,
                                   T* workspace, SolveTraffic& traffic) {
  constexpr int most_steps = 5;
  const auto words = static_cast<std::size_t>(share_.words());
  Vectors v{std::vector<T>(words), std::vector<T>(words), {}, std::vector<Real>(words), {}};
  v.sizes.resize(static_cast<std::size_t>(a_words_));
  layout::for_each_element(own_, [&](std::int64_t, std::int64_t, std::int64_t place) {
    v.sizes[static_cast<std::size_t>(place)] = size_of(system.a[place]);
  });
  b_in_->execute(communicator, T(1), system.b, T(0), v.b.data(), workspace, traffic.redistribute);
  x_in_->execute(communicator, T(1), system.x, T(0), v.x.data(), workspace, traffic.redistribute);
  const double epsilon = Limits<Real>(share_.n).epsilon;
  ErrorBounds bounds;
  std::vector<double> last(static_cast<std::size_t>(share_.columns), 3);
  std::vector<bool> improves(last.size(), true);
  for (int step = 0;; ++step) {
    find_residual(communicator, system, v, workspace, traffic.solve);
    bounds.backward = backward_errors(communicator, v);
    bool any = false;
    for (std::size_t c = 0; c < last.size(); ++c) {
      improves[c] = improves[c] && bounds.backward[c] > epsilon &&
                    2 * bounds.backward[c] <= last[c] && step < most_steps;
      any = any || improves[c];
      last[c] = bounds.backward[c];
    }
    if (!any) break;
    std::vector<T> correction = v.residual;
    solves_.solve(communicator, false, system.factors, system.rows, correction.data(), workspace,
                  traffic.solve);
    for (std::size_t c = 0; c < last.size(); ++c) {
      if (!improves[c]) continue;
      const std::size_t rows = static_cast<std::size_t>(share_.rows());
      for (std::size_t i = c * rows; i < (c + 1) * rows; ++i) v.x[i] += correction[i];
    }
  }
  bounds.forward = forward_errors(communicator, system, v, workspace, traffic.solve);
  x_out_->execute(communicator, T(1), v.x.data(), T(0), system.x, workspace, traffic.redistribute);
  return bounds;
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                                    \
  template class FactoredSolves<T>;                                                               \
  template class Refinement<T>;                                                                   \
  template double reciprocal_condition(Communicator&, FactoredSolves<T>&, bool, double, const T*, \
                                       T*, Traffic&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg
