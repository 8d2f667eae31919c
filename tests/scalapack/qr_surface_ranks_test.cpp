// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun with REDBLUE_MIN_WORK=0: p?geqrf, p?orgqr and p?ormqr of submatrices as a
// program calls them, with redblue in front of ScaLAPACK. Q R is A, Q' Q the identity, Q' A is R;
// questions for workspace are answered, workspace that is too small is reported, and left as it is.
// p?gelqf, and p?ormqr and p?ormlq from both sides, likewise.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "redblue/layout.hpp"
#include "redblue/redblue.h"
#include "scalapack/random_orthogonal_interfaces.hpp"

namespace {

using Z = std::complex<double>;

int failures = 0;

void check(bool right, const std::string& what, double found) {
  if (right) return;
  ++failures;
  std::fprintf(stderr, "%s: %g\n", what.c_str(), found);
}

double value(int i, int j, double) {
  return std::sin(1.0 + 13.0 * i + 7.0 * j + 0.1 * i * j);
}
Z value(int i, int j, Z) {
  return {value(i, j, 0.0), std::cos(2.0 + 3.0 * i + 5.0 * j)};
}

// A grid, and a submatrix of m x n at (ia, ja), counted from 1, in blocks mb x nb.
struct Problem {
  int context, rows, columns, row, column;
  int m, n, ia, ja, mb, nb;

  redblue::Cyclic down() const { return {mb, 1 % rows, rows, mb}; }
  redblue::Cyclic across() const { return {nb, 0, columns, nb}; }
  int leading() const { return std::max(1, static_cast<int>(down().count(m + ia - 1, row))); }
  std::vector<int> descriptor() const {
    return {1, context, m + ia - 1, n + ja - 1, mb, nb, 1 % rows, 0, leading()};
  }
  template <class F>
  void each(F f) const {
    for (int i = 0; i < m + ia - 1; ++i) {
      for (int j = 0; j < n + ja - 1; ++j) {
        if (down().owner(i) != row || across().owner(j) != column) continue;
        f(i, j, static_cast<std::size_t>(down().local(i) + leading() * across().local(j)));
      }
    }
  }
  template <class T>
  std::vector<T> local() const {
    std::vector<T> a(static_cast<std::size_t>(leading()) *
                         static_cast<std::size_t>(across().count(n + ja - 1, column)) +
                     1);
    each([&](int i, int j, std::size_t at) { a[at] = value(i, j, T{}); });
    return a;
  }
  // The submatrix, whole, on every rank.
  template <class T>
  std::vector<Z> whole(const std::vector<T>& a) const {
    std::vector<Z> all(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    each([&](int i, int j, std::size_t at) {
      if (i >= ia - 1 && j >= ja - 1)
        all[static_cast<std::size_t>(i - ia + 1 + m * (j - ja + 1))] = a[at];
    });
    MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(2 * all.size()), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
    return all;
  }
  // Whether what is outside of the submatrix is as before.
  template <class T>
  void check_outside(const std::vector<T>& a) const {
    each([&](int i, int j, std::size_t at) {
      if (i < ia - 1 || j < ja - 1) check(a[at] == value(i, j, T{}), "outside the submatrix", i);
    });
  }
};

// x' y, of columns of m elements.
Z dot(const std::vector<Z>& x, int i, const std::vector<Z>& y, int j, int m) {
  Z sum = 0;
  for (int k = 0; k < m; ++k) {
    sum +=
        std::conj(x[static_cast<std::size_t>(k + m * i)]) * y[static_cast<std::size_t>(k + m * j)];
  }
  return sum;
}

template <class T>
void run(const Problem& p) {
  const std::vector<int> d = p.descriptor();
  const double small = 1e-12 * p.m;
  std::vector<T> a = p.local<T>();
  const std::vector<T> original = a;
  std::vector<T> tau(a.size() + 1), answer(1);
  int info = 0;
  const int question = -1;
  pfactor(false, &p.m, &p.n, a.data(), &p.ia, &p.ja, d.data(), tau.data(), answer.data(), &question,
          &info);
  check(info == 0 && std::real(answer[0]) >= 1 && a == original, "a question", info);
  const int size = static_cast<int>(std::real(answer[0])) + 1000 + p.nb * (p.nb + p.m + p.n);
  const int none = 0;
  pfactor(false, &p.m, &p.n, a.data(), &p.ia, &p.ja, d.data(), tau.data(), answer.data(), &none,
          &info);
  check(info == -9 && a == original, "too little workspace", info);
  std::vector<T> work(static_cast<std::size_t>(size));
  pfactor(false, &p.m, &p.n, a.data(), &p.ia, &p.ja, d.data(), tau.data(), work.data(), &size,
          &info);
  check(info == 0 && work[0] == answer[0], "p?geqrf", info);
  p.check_outside(a);
  const int k = std::min(p.m, p.n);
  std::vector<T> c = original;
  pmultiply(false, "L", std::is_same_v<T, double> ? "T" : "C", &p.m, &p.n, &k, a.data(), &p.ia,
            &p.ja, d.data(), tau.data(), c.data(), &p.ia, &p.ja, d.data(), work.data(), &size,
            &info);
  check(info == 0, "p?ormqr", info);
  p.check_outside(c);
  const std::vector<Z> r = p.whole(a);
  const std::vector<Z> qa = p.whole(c);
  for (int j = 0; j < p.n; ++j) {
    for (int i = 0; i < p.m; ++i) {
      const auto at = static_cast<std::size_t>(i + p.m * j);
      check(std::abs(qa[at] - (i <= j ? r[at] : Z(0))) < small, "Q' A is not R", std::abs(qa[at]));
    }
  }
  if (p.m < p.n) return;
  pform(false, &p.m, &p.n, &k, a.data(), &p.ia, &p.ja, d.data(), tau.data(), work.data(), &size,
        &info);
  check(info == 0, "p?orgqr", info);
  p.check_outside(a);
  const std::vector<Z> q = p.whole(a);
  const std::vector<Z> before = p.whole(original);
  for (int j = 0; j < p.n; ++j) {
    for (int i = 0; i < p.n; ++i) {
      check(std::abs(dot(q, i, q, j, p.m) - Z(i == j)) < small, "Q' Q", i);
      const Z expected = i <= j ? r[static_cast<std::size_t>(i + p.m * j)] : Z(0);
      check(std::abs(dot(q, i, before, j, p.m) - expected) < small, "Q' A", i);
    }
  }
}

// Products with vectors by columns and by rows from both sides: the workspace that ScaLAPACK asks
// for, too little of it, and Q = I, as all tau are 0.
template <class T>
void run_products(const Problem& p) {
  for (const bool by_rows : {false, true}) {
    for (const bool left : {true, false}) {
      const int order = left ? p.m : p.n;
      const int k = std::min(order, 19);
      Problem a = p;  // with its rows and columns the other way round where the grid's are
      if (left == by_rows) {
        std::swap(a.ia, a.ja);
        std::swap(a.mb, a.nb);
      }
      a.m = by_rows ? k : order;
      a.n = by_rows ? order : k;
      const std::vector<int> da = a.descriptor(), dc = p.descriptor();
      const std::vector<T> factors = a.local<T>(), before = p.local<T>();
      std::vector<T> c = before, answer(1);
      const std::vector<T> tau(factors.size() + c.size() + 100);
      const auto called = [&](std::vector<T>& work, int size) {
        int info = 1;
        pmultiply(by_rows, left ? "L" : "R", "N", &p.m, &p.n, &k, factors.data(), &a.ia, &a.ja,
                  da.data(), tau.data(), c.data(), &p.ia, &p.ja, dc.data(), work.data(), &size,
                  &info);
        return info;
      };
      check(called(answer, -1) == 0, "a question", left);
      check(called(answer, 0) == -16 && c == before, "too little workspace", left);
      const int size = static_cast<int>(std::real(answer[0]));
      std::vector<T> work(static_cast<std::size_t>(size));
      check(called(work, size) == 0 && c == before, "products with I", left);
      check(work[0] == answer[0], "the workspace asked for", std::real(work[0]));
    }
  }
}

// An LQ factorization: L Q is A.
template <class T>
void run_rows(const Problem& p) {
  const std::vector<int> d = p.descriptor();
  const int k = std::min(p.m, p.n);
  std::vector<T> a = p.local<T>();
  const std::vector<T> original = a;
  std::vector<T> tau(a.size() + 100), answer(1);
  int info = 0;
  const int question = -1;
  pfactor(true, &p.m, &p.n, a.data(), &p.ia, &p.ja, d.data(), tau.data(), answer.data(), &question,
          &info);
  const int size = static_cast<int>(std::real(answer[0])) + 40 * (p.mb + p.nb) * (p.m + p.n);
  std::vector<T> work(static_cast<std::size_t>(size));
  pfactor(true, &p.m, &p.n, a.data(), &p.ia, &p.ja, d.data(), tau.data(), work.data(), &size,
          &info);
  check(info == 0 && work[0] == answer[0], "p?gelqf", info);
  p.check_outside(a);
  std::vector<T> c = p.local<T>();  // L
  p.each([&](int i, int j, std::size_t at) {
    if (i >= p.ia - 1 && j >= p.ja - 1) c[at] = i - p.ia >= j - p.ja ? a[at] : T(0);
  });
  pmultiply(true, "R", "N", &p.m, &p.n, &k, a.data(), &p.ia, &p.ja, d.data(), tau.data(), c.data(),
            &p.ia, &p.ja, d.data(), work.data(), &size, &info);
  check(info == 0, "p?ormlq", info);
  p.check_outside(c);
  const std::vector<Z> wanted = p.whole(original), found = p.whole(c);
  for (std::size_t x = 0; x < found.size(); ++x) {
    const double off = std::abs(found[x] - wanted[x]);
    check(off < 1e-12 * (p.m + p.n), "L Q is not A", off);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const int rows : {1, redblue::squarest_grid_rows(ranks), ranks}) {
    Problem p{};
    Cblacs_get(0, 0, &p.context);
    Cblacs_gridinit(&p.context, "Row", rows, ranks / rows);
    Cblacs_gridinfo(p.context, &p.rows, &p.columns, &p.row, &p.column);
    for (const auto& [m, n, ia, ja, mb, nb] :
         {std::array{40, 23, 1, 1, 8, 8}, std::array{61, 30, 4, 3, 5, 7},
          std::array{33, 33, 2, 9, 16, 16}, std::array{20, 37, 3, 2, 64, 32},
          std::array{90, 5, 6, 1, 1, 20}}) {
      p.m = m;
      p.n = n;
      p.ia = ia;
      p.ja = ja;
      p.mb = mb;
      p.nb = nb;
      run<double>(p);
      run<Z>(p);
      run_rows<double>(p);
      run_rows<Z>(p);
      run_products<double>(p);
      run_products<Z>(p);
    }
  }
  long served = 0;
  long passed_on = 0;
  redblue_served(&served, &passed_on);
  check(served > 150, "calls served", static_cast<double>(served));
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
