// SPDX-License-Identifier: BSD-3-Clause
// Linear systems by LU or Cholesky factorization, with iterative refinement:
//
//   A = L U (or L L'), X = A^-1 B
//   repeat: R = B - A X, X += A^-1 R, until |R| <= sqrt(n) eps |A| |X| for every right-hand side
//
// In mixed precision A^-1 stands for the factors in the precision below.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>

#include "linalg/plan/caller_layouts.hpp"
#include "redblue/solve.hpp"

namespace redblue {

using namespace linalg;
using comm::Communicator;

namespace {

template <class T>
struct Below {
  using type = T;
};
template <>
struct Below<double> {
  using type = float;
};
template <>
struct Below<std::complex<double>> {
  using type = std::complex<float>;
};

template <class T>
constexpr bool has_below = !std::is_same_v<T, typename Below<T>::type>;

// A factorization and the solves with it, in one precision.
template <class T>
class Factored {
 public:
  Factored(MPI_Comm communicator, const SystemLayouts& l, const FactorOptions& options) {
    if (l.kind == SystemKind::general) {
      lu_.emplace(communicator, l.a, options);
      lu_solve_.emplace(communicator, Op::none, l.a, l.b, options);
    } else {
      cholesky_.emplace(communicator, l.triangle, l.a, options);
      cholesky_solve_.emplace(communicator, l.triangle, l.a, l.b, options);
    }
  }

  std::int64_t factor(T* a, SolveTraffic& traffic) {
    const std::int64_t info = lu_ ? lu_->execute(a) : cholesky_->execute(a);
    const FactorTraffic& moved = lu_ ? lu_->traffic() : cholesky_->traffic();
    traffic.redistribute += moved.redistribute;
    traffic.factor += moved.factor;
    return info;
  }

  void solve(const T* a, T* b, SolveTraffic& traffic) {
    if (lu_solve_) {
      lu_solve_->execute(a, lu_->pivots(), b);
    } else {
      cholesky_solve_->execute(a, b);
    }
    const SolveTraffic& moved = lu_solve_ ? lu_solve_->traffic() : cholesky_solve_->traffic();
    traffic.redistribute += moved.redistribute;
    traffic.solve += moved.solve;
  }

  std::vector<std::int64_t> pivots() const {
    return lu_ ? lu_->pivots() : std::vector<std::int64_t>{};
  }

 private:
  std::optional<LuPlan<T>> lu_;
  std::optional<LuSolve<T>> lu_solve_;
  std::optional<CholeskyPlan<T>> cholesky_;
  std::optional<CholeskySolve<T>> cholesky_solve_;
};

// B - A X in the caller's layouts.
template <class T>
class Remainder {
 public:
  Remainder(MPI_Comm communicator, const SystemLayouts& l) {
    if (l.kind == SystemKind::general) {
      general_.emplace(communicator, GemmLayouts{Op::none, l.a, Op::none, l.b, l.b});
    } else {
      SymmLayouts layouts;
      layouts.hermitian = true;
      layouts.triangle = l.triangle;
      layouts.a = l.a;
      layouts.b = l.b;
      layouts.c = l.b;
      definite_.emplace(communicator, layouts);
    }
  }

  void execute(const T* a, const T* x, T* r, SolveTraffic& traffic) {
    if (general_) {
      general_->execute(T(-1), a, x, T(1), r);
      traffic.solve += general_->traffic().total();
    } else {
      definite_->execute(T(-1), a, x, T(1), r);
      traffic.solve += definite_->traffic().total();
    }
  }

 private:
  std::optional<GemmPlan<T>> general_;
  std::optional<SymmPlan<T>> definite_;
};

}  // namespace

template <class T>
struct SystemPlan<T>::Impl {
  using Low = typename Below<T>::type;
  static constexpr int most_mixed = 30;

  Communicator communicator;
  SystemLayouts layouts;
  SystemOptions options;
  std::int64_t unknowns = 0, rhs = 0;
  std::vector<layout::Patch> held_a, held_b;
  Words owned[2];
  std::optional<Factored<T>> own;  // made when it is needed
  std::optional<Factored<Low>> low;
  std::optional<Remainder<T>> remainder;
  std::vector<T> a_copy, b_copy, rest;
  std::vector<Low> a_low, b_low;
  int steps = 0;
  bool lower = false;
  std::vector<std::int64_t> pivots;
  SolveTraffic traffic;

  Impl(MPI_Comm original, const SystemLayouts& l, const SystemOptions& o)
      : communicator(original), layouts(l), options(o) {
    if (options.mixed && !has_below<T>) {
      throw Error("system in mixed precision", "no precision below float", "solve without it");
    }
    if (!communicator.same_everywhere({static_cast<std::int64_t>(l.kind),
                                       static_cast<std::int64_t>(l.triangle), o.refinements,
                                       o.mixed ? 1 : 0})) {
      throw Error("system", "ranks ask for different things", "pass the same on all ranks");
    }
    check_layout(communicator, "A", l.a);
    check_layout(communicator, "B", l.b);
    const layout::Arrangement a = arrangement_of(l.a, Op::none, communicator.size());
    const layout::Arrangement b = arrangement_of(l.b, Op::none, communicator.size());
    if (a.rows != a.columns || a.rows != b.rows) {
      throw Error("system",
                  std::to_string(a.rows) + " x " + std::to_string(a.columns) + " for " +
                      std::to_string(b.rows) + " unknowns",
                  "the matrix must be square, of as many rows as there are unknowns");
    }
    unknowns = b.rows;
    rhs = b.columns;
    held_a = local_patches(l.a, communicator);
    held_b = local_patches(l.b, communicator);
    owned[0] = array_words(l.a, communicator.rank());
    owned[1] = array_words(l.b, communicator.rank());
    if (options.mixed) {
      low.emplace(original, l, o.factor);
    } else {
      own.emplace(original, l, o.factor);
    }
    if (options.mixed || options.refinements > 0) remainder.emplace(original, l);
  }

  // The largest sum of moduli in a row of A.
  double norm(const T* a) {
    std::vector<double> sums(static_cast<std::size_t>(unknowns));
    const bool definite = layouts.kind == SystemKind::positive_definite;
    const bool stored_low = layouts.triangle == Triangle::lower;
    layout::for_each_element(held_a, [&](std::int64_t i, std::int64_t j, std::int64_t at) {
      if (definite && (stored_low ? i < j : i > j)) return;
      const double size = static_cast<double>(std::abs(a[at]));
      sums[static_cast<std::size_t>(i)] += size;
      if (definite && i != j) sums[static_cast<std::size_t>(j)] += size;
    });
    communicator.sum(sums);
    double most = 0;
    for (const double s : sums) most = std::max(most, s);
    return communicator.maximum(most);  // the same on all ranks to the last bit
  }

  // The largest modulus in each column.
  std::vector<double> largest(const T* b) {
    std::vector<double> most(static_cast<std::size_t>(rhs));
    layout::for_each_element(held_b, [&](std::int64_t, std::int64_t j, std::int64_t at) {
      double& here = most[static_cast<std::size_t>(j)];
      const double size = static_cast<double>(std::abs(b[at]));
      if (!(size <= here)) here = std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
    });
    communicator.maximum(most);
    return most;
  }

  void for_each_of_b(T* b, const std::vector<T>& from, void (*combine)(T&, const T&)) const {
    layout::for_each_element(held_b, [&](std::int64_t, std::int64_t, std::int64_t at) {
      combine(b[at], from[static_cast<std::size_t>(at)]);
    });
  }

  // X += solve(B - A X), X in `b`, at most `most` times. Whether X became as good as T allows.
  template <class Solve>
  bool refine(const T* a, T* b, int most, Solve solve) {
    const double size = norm(a);
    using Real = decltype(std::abs(T{}));
    const double goal = std::sqrt(static_cast<double>(unknowns)) *
                        static_cast<double>(std::numeric_limits<Real>::epsilon()) * size;
    for (steps = 0;; ++steps) {
      rest = b_copy;
      remainder->execute(a, b, rest.data(), traffic);
      const std::vector<double> left = largest(rest.data());
      const std::vector<double> found = largest(b);
      bool good = true;
      for (std::size_t j = 0; j < left.size(); ++j) {
        good = good && std::isfinite(left[j]) && left[j] <= goal * found[j];
      }
      if (good || steps == most) return good;
      solve(rest.data());
      for_each_of_b(b, rest, [](T& x, const T& d) { x += d; });
    }
  }

  void solve_low(T* b) {
    b_low.resize(static_cast<std::size_t>(owned[1].value));
    layout::for_each_element(held_b, [&](std::int64_t, std::int64_t, std::int64_t at) {
      b_low[static_cast<std::size_t>(at)] = static_cast<Low>(b[at]);
    });
    low->solve(a_low.data(), b_low.data(), traffic);
    layout::for_each_element(held_b, [&](std::int64_t, std::int64_t, std::int64_t at) {
      b[at] = static_cast<T>(b_low[static_cast<std::size_t>(at)]);
    });
  }

  // Whether the factors in the precision below led to a solution in T's.
  bool solved_low(const T* a, T* b) {
    a_low.resize(static_cast<std::size_t>(owned[0].value));
    layout::for_each_element(held_a, [&](std::int64_t, std::int64_t, std::int64_t at) {
      a_low[static_cast<std::size_t>(at)] = static_cast<Low>(a[at]);
    });
    if (low->factor(a_low.data(), traffic) != 0) return false;
    solve_low(b);
    const int most = options.refinements > 0 ? options.refinements : most_mixed;
    if (refine(a, b, most, [this](T* r) { solve_low(r); })) {
      pivots = low->pivots();
      return true;
    }
    for_each_of_b(b, b_copy, [](T& x, const T& original) { x = original; });
    return false;
  }

  std::int64_t execute(T* a, T* b) {
    const T* const arrays[] = {a, b};
    check_arrays(communicator, "system", arrays, owned);
    traffic = {};
    steps = 0;
    if (remainder) b_copy.assign(b, b + owned[1].value);
    lower = options.mixed && solved_low(a, b);
    if (lower) return 0;
    if (!own) own.emplace(communicator.handle(), layouts, options.factor);
    if (options.refinements > 0) a_copy.assign(a, a + owned[0].value);
    const std::int64_t info = own->factor(a, traffic);
    pivots = own->pivots();
    steps = 0;
    if (info != 0) return info;
    own->solve(a, b, traffic);
    if (options.refinements > 0) {
      refine(a_copy.data(), b, options.refinements, [&](T* r) { own->solve(a, r, traffic); });
    }
    return 0;
  }
};

template <class T>
SystemPlan<T>::SystemPlan(MPI_Comm communicator, const SystemLayouts& layouts,
                          const SystemOptions& options)
    : impl_(std::make_unique<Impl>(communicator, layouts, options)) {}
template <class T>
SystemPlan<T>::~SystemPlan() = default;
template <class T>
SystemPlan<T>::SystemPlan(SystemPlan&&) noexcept = default;
template <class T>
SystemPlan<T>& SystemPlan<T>::operator=(SystemPlan&&) noexcept = default;

template <class T>
std::int64_t SystemPlan<T>::execute(T* a, T* b) {
  return impl_->execute(a, b);
}
template <class T>
int SystemPlan<T>::refinements() const {
  return impl_->steps;
}
template <class T>
bool SystemPlan<T>::in_lower_precision() const {
  return impl_->lower;
}
template <class T>
const std::vector<std::int64_t>& SystemPlan<T>::pivots() const {
  return impl_->pivots;
}
template <class T>
const SolveTraffic& SystemPlan<T>::traffic() const {
  return impl_->traffic;
}

template class SystemPlan<float>;
template class SystemPlan<double>;
template class SystemPlan<std::complex<float>>;
template class SystemPlan<std::complex<double>>;

}  // namespace redblue
