// SPDX-License-Identifier: BSD-3-Clause
#include "tensor/contraction.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <type_traits>
#include <utility>

#include "linalg/blas/blas.hpp"

namespace redblue::tensor {

namespace {

constexpr std::size_t most_loops = 64;

template <class T>
T product(T x, T y) {
  if constexpr (std::is_arithmetic_v<T>) {
    return x * y;
  } else {  // without the standard's care for infinities, which keeps loops from being vectors
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
}

}  // namespace

template <class T>
Contraction<T>::Contraction(const std::vector<std::int64_t>& extents, Strides a,
                            std::optional<Strides> with, Strides c)
    : has_b_(with.has_value()) {
  const Strides b = has_b_ ? *std::move(with) : Strides(extents.size(), 0);
  for (std::size_t t = 0; t < extents.size(); ++t) {
    if (a[t] == 0 && b[t] == 0 && c[t] == 0) continue;
    if (c[t] != 0) result_.push_back({extents[t], a[t], b[t], c[t]});
    if (extents[t] == 0) empty_ = true;
    if (extents[t] != 1) loops_.push_back({extents[t], a[t], b[t], c[t]});
  }
  fuse();
  by_gemm_ = has_b_ && takes_gemm();
  if (!by_gemm_) choose_innermost();
  std::sort(result_.begin(), result_.end(), [](const Loop& x, const Loop& y) { return x.c < y.c; });
  std::vector<Loop> lines;
  for (const Loop& l : result_) {
    if (!lines.empty() && l.c == lines.back().c * lines.back().extent) {
      lines.back().extent *= l.extent;
    } else {
      lines.push_back(l);
    }
  }
  result_ = std::move(lines);
  for (const Loop& l : loops_) sums_outside_ = sums_outside_ || l.c == 0;
  // the last changes fastest: small steps in memory
  std::sort(loops_.begin(), loops_.end(),
            [](const Loop& x, const Loop& y) { return x.a + x.b + x.c > y.a + y.b + y.c; });
}

// Loops that step through all three tensors as one longer loop would become that.
template <class T>
void Contraction<T>::fuse() {
  std::sort(loops_.begin(), loops_.end(), [](const Loop& x, const Loop& y) {
    return std::max({x.a, x.b, x.c}) < std::max({y.a, y.b, y.c});
  });
  std::vector<Loop> fused;
  for (const Loop& next : loops_) {
    const auto continues = [&next](const Loop& l) {
      return next.a == l.a * l.extent && next.b == l.b * l.extent && next.c == l.c * l.extent;
    };
    const auto at = std::find_if(fused.begin(), fused.end(), continues);
    if (at == fused.end()) {
      fused.push_back(next);
    } else {
      at->extent *= next.extent;
    }
  }
  loops_ = std::move(fused);
}

// Takes the longest loops of A and C, B and C, A and B that let gemm step by 1 in each matrix.
template <class T>
bool Contraction<T>::takes_gemm() {
  std::array<std::vector<std::size_t>, 3> roles;  // m, n, k
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    const Loop& loop = loops_[l];
    if (loop.a != 0 && loop.c != 0 && loop.b == 0) roles[0].push_back(l);
    if (loop.b != 0 && loop.c != 0 && loop.a == 0) roles[1].push_back(l);
    if (loop.a != 0 && loop.b != 0 && loop.c == 0) roles[2].push_back(l);
  }
  if (roles[2].empty() || (roles[0].empty() && roles[1].empty())) return false;
  for (auto& r : roles) {
    if (r.empty()) r.push_back(loops_.size());  // of extent 1
  }
  const auto loop = [this](std::size_t l) { return l < loops_.size() ? loops_[l] : Loop{}; };
  const auto steps = [](const Loop& x, std::int64_t Loop::*s, const Loop& y) {
    return x.extent == 1 || y.extent == 1 || x.*s == 1 || y.*s == 1;
  };
  double most = 0;
  std::array<std::size_t, 3> best = {};
  for (const std::size_t m : roles[0]) {
    for (const std::size_t n : roles[1]) {
      for (const std::size_t k : roles[2]) {
        const Loop lm = loop(m), ln = loop(n), lk = loop(k);
        if (!steps(lm, &Loop::a, lk) || !steps(lk, &Loop::b, ln) || !steps(lm, &Loop::c, ln))
          continue;
        const double work = static_cast<double>(lm.extent) * static_cast<double>(ln.extent) *
                            static_cast<double>(lk.extent);
        if (work <= most) continue;
        most = work;
        best = {m, n, k};
      }
    }
  }
  if (most == 0) return false;
  m_ = loop(best[0]);
  n_ = loop(best[1]);
  k_ = loop(best[2]);
  swapped_ = m_.extent != 1 && m_.c != 1;  // then n steps by 1 through C
  std::vector<Loop> rest;
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    if (std::find(best.begin(), best.end(), l) == best.end()) rest.push_back(loops_[l]);
  }
  loops_ = std::move(rest);
  return true;
}

// The loop along which most tensors step by 1 or not at all, of those the longest.
template <class T>
void Contraction<T>::choose_innermost() {
  if (loops_.empty()) return;
  const auto rank = [](const Loop& l) {
    constexpr std::int64_t enough = 64;
    const int near = (l.a <= 1 ? 1 : 0) + (l.b <= 1 ? 1 : 0) + (l.c <= 1 ? 1 : 0);
    return std::pair(near * std::min(l.extent, enough), l.extent);
  };
  const auto best =
      std::max_element(loops_.begin(), loops_.end(),
                       [&rank](const Loop& x, const Loop& y) { return rank(x) < rank(y); });
  inner_ = *best;
  loops_.erase(best);
}

template <class T>
void Contraction<T>::clear(T* c) const {
  std::array<std::int64_t, most_loops> at{};
  for (const Loop& l : result_) {
    if (l.extent == 0) return;
  }
  const bool in_lines = !result_.empty() && result_.front().c == 1;
  const std::int64_t line = in_lines ? result_.front().extent : 1;
  for (;;) {
    std::fill(c, c + line, T(0));
    std::size_t t = in_lines ? 1 : 0;
    for (; t < result_.size(); ++t) {
      c += result_[t].c;
      if (++at[t] < result_[t].extent) break;
      c -= result_[t].c * result_[t].extent;
      at[t] = 0;
    }
    if (t == result_.size()) return;
  }
}

template <class T>
template <class F>
void Contraction<T>::for_each_outer(const T* a, const T* b, T* c, F f) const {
  std::array<std::int64_t, most_loops> at{};
  for (;;) {
    f(a, b, c);
    std::size_t t = loops_.size();
    for (; t > 0; --t) {
      const Loop& l = loops_[t - 1];
      a += l.a;
      b += l.b;
      c += l.c;
      if (++at[t - 1] < l.extent) break;
      a -= l.a * l.extent;
      b -= l.b * l.extent;
      c -= l.c * l.extent;
      at[t - 1] = 0;
    }
    if (t == 0) return;
  }
}

template <class T>
void Contraction<T>::multiply(T alpha, const T* a, const T* b, T beta, T* c) const {
  // op(X) of these extents and strides, one of which is 1 where both extents are more than 1
  const auto factor = [](const T* data, std::int64_t rows, std::int64_t down, std::int64_t columns,
                         std::int64_t across) {
    if (rows == 1 || down == 1) return blas::Factor<T>{data, columns == 1 ? rows : across, 'N'};
    return blas::Factor<T>{data, down, 'T'};
  };
  const std::int64_t m = m_.extent, n = n_.extent, k = k_.extent;
  if (swapped_) {
    blas::gemm(n, m, k, alpha, factor(b, n, n_.b, k, k_.b), factor(a, k, k_.a, m, m_.a), beta, c,
               m == 1 ? n : m_.c);
  } else {
    blas::gemm(m, n, k, alpha, factor(a, m, m_.a, k, k_.a), factor(b, k, k_.b, n, n_.b), beta, c,
               n == 1 ? m : n_.c);
  }
}

template <class T>
void Contraction<T>::innermost(T alpha, const T* a, const T* b, T* c) const {
  const Loop& l = inner_;
  if (!has_b_) {
    for (std::int64_t x = 0; x < l.extent; ++x) c[x * l.c] += product(alpha, a[x * l.a]);
  } else if (l.c == 0) {
    T sum = T(0);
    if (l.a == 1 && l.b == 1) {
      for (std::int64_t x = 0; x < l.extent; ++x) sum += product(a[x], b[x]);
    } else {
      for (std::int64_t x = 0; x < l.extent; ++x) sum += product(a[x * l.a], b[x * l.b]);
    }
    *c += product(alpha, sum);
  } else if (l.c == 1 && l.a == 1 && l.b == 0) {
    const T factor = product(alpha, *b);
    for (std::int64_t x = 0; x < l.extent; ++x) c[x] += product(factor, a[x]);
  } else if (l.c == 1 && l.a == 0 && l.b == 1) {
    const T factor = product(alpha, *a);
    for (std::int64_t x = 0; x < l.extent; ++x) c[x] += product(factor, b[x]);
  } else if (l.c == 1 && l.a == 1 && l.b == 1) {
    for (std::int64_t x = 0; x < l.extent; ++x) c[x] += product(alpha, product(a[x], b[x]));
  } else {
    for (std::int64_t x = 0; x < l.extent; ++x)
      c[x * l.c] += product(alpha, product(a[x * l.a], b[x * l.b]));
  }
}

template <class T>
void Contraction<T>::run(T alpha, const T* a, const T* b, bool overwrite, T* c) const {
  const bool at_once = by_gemm_ && !sums_outside_ && !empty_;
  if (overwrite && !at_once) clear(c);
  if (empty_) return;
  if (by_gemm_) {
    const T beta = overwrite && at_once ? T(0) : T(1);
    for_each_outer(a, b, c, [&](const T* x, const T* y, T* z) { multiply(alpha, x, y, beta, z); });
  } else {
    for_each_outer(a, b, c, [&](const T* x, const T* y, T* z) { innermost(alpha, x, y, z); });
  }
}

template class Contraction<float>;
template class Contraction<double>;
template class Contraction<std::complex<float>>;
template class Contraction<std::complex<double>>;

}  // namespace redblue::tensor
