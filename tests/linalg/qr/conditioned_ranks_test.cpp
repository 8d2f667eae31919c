// SPDX-License-Identifier: BSD-3-Clause
// QR factorizations and least squares of matrices with condition numbers up to 1e14, beside
// LAPACK's on one rank: residuals, orthogonality, and the gradient of what is minimised, all of its
// order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "redblue/layout.hpp"
#include "redblue/qr.hpp"

extern "C" {
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau,
             double* work, const int* lwork, int* info);
void dgels_(const char* trans, const int* m, const int* n, const int* nrhs, double* a,
            const int* lda, double* b, const int* ldb, double* work, const int* lwork, int* info,
            std::size_t);
}

namespace redblue {
namespace {

using Vector = std::vector<double>;

// Column-major.
struct Dense {
  int m, n;
  Vector words;
  Dense(int rows, int columns)
      : m(rows), n(columns), words(std::size_t(rows) * std::size_t(columns)) {}
  double& at(int i, int j) {
    return words[static_cast<std::size_t>(i) +
                 static_cast<std::size_t>(j) * static_cast<std::size_t>(m)];
  }
  double at(int i, int j) const {
    return words[static_cast<std::size_t>(i) +
                 static_cast<std::size_t>(j) * static_cast<std::size_t>(m)];
  }
};

double norm(const Vector& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

Dense product(const Dense& a, const Dense& b) {
  Dense c(a.m, b.n);
  for (int j = 0; j < b.n; ++j) {
    for (int k = 0; k < a.n; ++k) {
      for (int i = 0; i < a.m; ++i) c.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return c;
}

Dense transpose(const Dense& a) {
  Dense t(a.n, a.m);
  for (int j = 0; j < a.n; ++j) {
    for (int i = 0; i < a.m; ++i) t.at(j, i) = a.at(i, j);
  }
  return t;
}

Dense random(int m, int n, int seed) {
  Dense a(m, n);
  std::uint64_t state = 88172645463325252ULL + static_cast<std::uint64_t>(seed);
  for (double& x : a.words) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    x = static_cast<double>(state >> 11U) / 9007199254740992.0 - 0.5;
  }
  return a;
}

struct Factors {
  Dense q, r;
};

Factors lapack_qr(const Dense& a) {
  Dense q = a;
  Dense r(a.n, a.n);
  Vector tau(static_cast<std::size_t>(a.n));
  Vector work(static_cast<std::size_t>(64 * a.n));
  const int lwork = 64 * a.n;
  int info = 0;
  dgeqrf_(&a.m, &a.n, q.words.data(), &a.m, tau.data(), work.data(), &lwork, &info);
  for (int j = 0; j < a.n; ++j) {
    for (int i = 0; i <= j; ++i) r.at(i, j) = q.at(i, j);
  }
  dorgqr_(&a.m, &a.n, &a.n, q.words.data(), &a.m, tau.data(), work.data(), &lwork, &info);
  return {q, r};
}

// U S V' with singular values from 1 to 1 / condition, evenly on a logarithmic scale.
Dense conditioned(int m, int n, double condition, int seed) {
  Dense u = lapack_qr(random(m, n, seed)).q;
  const Dense v = lapack_qr(random(n, n, seed + 1)).q;
  for (int j = 0; j < n; ++j) {
    const double s = std::pow(condition, -static_cast<double>(j) / std::max(1, n - 1));
    for (int i = 0; i < m; ++i) u.at(i, j) *= s;
  }
  return product(u, transpose(v));
}

BlockCyclic layout_of(int m, int n, int ranks, int me) {
  constexpr int block = 16;
  const int rows = squarest_grid_rows(ranks);
  const int columns = ranks / rows;
  BlockCyclic l;
  l.rows = m;
  l.columns = n;
  l.down = {block, 0, rows, block};
  l.across = {block, 0, columns, block};
  for (int r = 0; r < rows * columns; ++r) l.ranks.push_back(Rank{r});
  l.leading = me < rows * columns ? std::max<std::int64_t>(1, l.down.count(m, me / columns)) : 1;
  return l;
}

// A matrix on the ranks, and back, whole on all.
class Dealt {
 public:
  Dealt(comm::Communicator& world, const Dense& a)
      : world_(world),
        layout_(layout_of(a.m, a.n, world.size(), world.rank().value)),
        local_(static_cast<std::size_t>(array_words(layout_, world.rank()).value) + 1) {
    each([&](std::int64_t i, std::int64_t j, std::int64_t at) {
      local_[static_cast<std::size_t>(at)] = a.at(static_cast<int>(i), static_cast<int>(j));
    });
  }
  const Layout& layout() const { return layout_; }
  double* data() { return local_.data(); }
  Dense whole(int m, int n) {
    Dense a(m, n);
    each([&](std::int64_t i, std::int64_t j, std::int64_t at) {
      a.at(static_cast<int>(i), static_cast<int>(j)) = local_[static_cast<std::size_t>(at)];
    });
    world_.sum(a.words);
    return a;
  }

 private:
  template <class F>
  void each(F f) {
    for_each_element(layout_, world_.rank(), f);
  }
  comm::Communicator& world_;
  Layout layout_;
  Vector local_;
};

double residual(const Dense& a, const Factors& f) {
  Vector off = product(f.q, f.r).words;
  for (std::size_t i = 0; i < off.size(); ++i) off[i] -= a.words[i];
  return norm(off) / norm(a.words);
}

double orthogonality(const Dense& q) {
  Dense gram = product(transpose(q), q);
  for (int j = 0; j < q.n; ++j) gram.at(j, j) -= 1;
  return norm(gram.words);
}

// The upper triangle of the first n rows.
Dense upper(const Dense& a) {
  Dense r(a.n, a.n);
  for (int j = 0; j < a.n; ++j) {
    for (int i = 0; i <= j; ++i) r.at(i, j) = a.at(i, j);
  }
  return r;
}

Dense back_substituted(const Dense& r, const Dense& b) {
  Dense x(r.n, 1);
  for (int i = r.n - 1; i >= 0; --i) {
    double sum = b.at(i, 0);
    for (int j = i + 1; j < r.n; ++j) sum -= r.at(i, j) * x.at(j, 0);
    x.at(i, 0) = sum / r.at(i, i);
  }
  return x;
}

struct Fit {
  double residual;  // |b - A x|
  double gradient;  // |A' (b - A x)|
};

Fit fit_of(const Dense& a, const Dense& b, const Dense& x) {
  Dense off = product(a, x);
  for (std::size_t i = 0; i < off.words.size(); ++i) off.words[i] = b.words[i] - off.words[i];
  return {norm(off.words), norm(product(transpose(a), off).words)};
}

Dense lapack_least_squares(Dense a, Dense b) {
  Vector work(static_cast<std::size_t>(64 * (a.n + 1)));
  const int lwork = 64 * (a.n + 1);
  const int one = 1;
  int info = 0;
  dgels_("N", &a.m, &a.n, &one, a.words.data(), &a.m, b.words.data(), &a.m, work.data(), &lwork,
         &info, 1);
  Dense x(a.n, 1);
  std::copy_n(b.words.begin(), a.n, x.words.begin());
  return x;
}

constexpr double unit = 2.2e-16;

void compare(int m, int n, double condition) {
  comm::Communicator world(MPI_COMM_WORLD);
  const Dense a = conditioned(m, n, condition, m + n);
  Dealt dealt(world, a);
  QrPlan<double> plan(MPI_COMM_WORLD, dealt.layout());
  plan.execute(dealt.data());
  const std::vector<double> tau = plan.tau();
  Factors ours = {Dense(m, n), upper(dealt.whole(m, n))};
  // b that A reaches, and b that it does not
  Dense reached = product(a, random(n, 1, 5));
  const Dense far = random(m, 1, 6);
  Dealt reached_here(world, reached), far_here(world, far);
  for (Dealt* b : {&reached_here, &far_here})
    plan.apply(Op::conjugate_transpose, dealt.data(), tau, b->layout(), b->data());
  plan.form(dealt.data(), tau);
  ours.q = dealt.whole(m, n);

  const Factors lapack = lapack_qr(a);
  const double least = unit * std::sqrt(static_cast<double>(n));
  EXPECT_LE(residual(a, ours), 4 * residual(a, lapack) + least);
  EXPECT_LE(orthogonality(ours.q), 4 * orthogonality(lapack.q) + least);
  for (const bool far_away : {false, true}) {
    const Dense& b = far_away ? far : reached;
    Dealt& rotated = far_away ? far_here : reached_here;
    const Dense x = back_substituted(ours.r, rotated.whole(m, 1));
    const Dense its_x = lapack_least_squares(a, b);
    const Fit mine = fit_of(a, b, x);
    const Fit its = fit_of(a, b, its_x);
    // Both solve a problem that is a rounding away: |A| = 1, so their residuals differ by as much
    // times |x|, which is as large as the condition number.
    const double rounding = 4 * unit * n * (norm(x.words) + norm(its_x.words) + norm(b.words));
    EXPECT_NEAR(mine.residual, its.residual, rounding) << m << " x " << n << ", " << condition;
    EXPECT_LE(mine.gradient, 10 * its.gradient + 100 * unit * norm(b.words)) << m << " x " << n;
  }
}

TEST(IllConditioned, QrAndLeastSquaresAreAsGoodAsLapacks) {
  for (const double condition : {1e2, 1e8, 1e14}) {
    compare(150, 150, condition);
    compare(400, 60, condition);
    compare(900, 33, condition);
    compare(40, 7, condition);
  }
}

}  // namespace
}  // namespace redblue
