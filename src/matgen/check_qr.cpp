// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "matgen/check.hpp"

namespace redblue::matgen {

namespace {

constexpr std::uint64_t seed_x = 3;
constexpr std::int64_t at_a_time = 32;  // reflectors

using Number = std::complex<double>;
using Vector = std::vector<Number>;

// This rank's rows of some reflectors' vectors.
struct Vectors {
  std::vector<std::int64_t> rows;
  std::vector<std::array<Number, at_a_time>> values;
};

template <class T>
Vectors vectors_of(const Range& columns, const std::vector<layout::Patch>& local, const T* a) {
  std::vector<layout::Patch> patches;
  for (const layout::Patch& p : local) {
    patches.push_back(p);
    patches.back().columns = layout::within(p.columns, columns);
  }
  std::vector<std::pair<std::int64_t, std::pair<std::int64_t, Number>>> elements;
  layout::for_each_element(patches, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    if (row < column) return;
    elements.push_back({row, {column - columns.begin, row == column ? Number(1) : Number(a[at])}});
  });
  std::stable_sort(elements.begin(), elements.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  Vectors v;
  for (const auto& [row, element] : elements) {
    if (v.rows.empty() || v.rows.back() != row) {
      v.rows.push_back(row);
      v.values.emplace_back();
    }
    v.values.back()[static_cast<std::size_t>(element.first)] = element.second;
  }
  return v;
}

// z = H_begin .. H_(end-1) z, or the adjoint: from V' V and V' z, added up over all ranks.
template <class T>
void reflect(comm::Communicator& communicator, const Range& columns, bool adjoint,
             const std::vector<T>& tau, const Vectors& v, Vector& z) {
  const auto width = static_cast<std::size_t>(columns.size());
  Vector sums(width * (width + 1));  // V' V, then V' z
  for (std::size_t r = 0; r < v.rows.size(); ++r) {
    for (std::size_t i = 0; i < width; ++i) {
      const Number left = std::conj(v.values[r][i]);
      for (std::size_t k = 0; k < width; ++k) sums[i + k * width] += left * v.values[r][k];
      sums[i + width * width] += left * z[static_cast<std::size_t>(v.rows[r])];
    }
  }
  communicator.sum(sums);
  Vector factors(width);
  for (std::size_t turn = 0; turn < width; ++turn) {
    const std::size_t j = adjoint ? turn : width - 1 - turn;
    Number sum = sums[j + width * width];
    for (std::size_t k = 0; k < width; ++k) sum -= sums[j + k * width] * factors[k];
    const Number t(tau[static_cast<std::size_t>(columns.begin) + j]);
    factors[j] = sum * (adjoint ? std::conj(t) : t);
  }
  Vector change(z.size());
  for (std::size_t r = 0; r < v.rows.size(); ++r) {
    for (std::size_t k = 0; k < width; ++k) {
      change[static_cast<std::size_t>(v.rows[r])] += v.values[r][k] * factors[k];
    }
  }
  communicator.sum(change);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] -= change[i];
}

template <class T>
void times_q(comm::Communicator& communicator, bool adjoint, const std::vector<T>& tau,
             const std::vector<layout::Patch>& local, const T* a, Vector& z) {
  const auto count = static_cast<std::int64_t>(tau.size());
  const std::int64_t blocks = (count + at_a_time - 1) / at_a_time;
  for (std::int64_t turn = 0; turn < blocks; ++turn) {
    const std::int64_t b = adjoint ? turn : blocks - 1 - turn;
    const Range columns = {b * at_a_time, std::min(count, (b + 1) * at_a_time)};
    reflect(communicator, columns, adjoint, tau, vectors_of(columns, local, a), z);
  }
}

// The largest difference, relative to the scale; infinity where something is not a number.
double largest(const Vector& x, const Vector& y, double scale) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = std::abs(x[i] - y[i]);
    if (!std::isfinite(off)) return std::numeric_limits<double>::infinity();
    most = std::max(most, off);
  }
  return most / scale;
}

}  // namespace

template <class T>
Residual check_qr(comm::Communicator& communicator, std::int64_t m, std::int64_t n,
                  const std::vector<T>& tau, const std::vector<layout::Patch>& local, const T* a) {
  const auto x = [](std::int64_t j) { return random_element(seed_x, j, 0); };
  Vector product(static_cast<std::size_t>(m));
  for (std::int64_t i = m * communicator.rank().value / communicator.size();
       i < m * (communicator.rank().value + 1) / communicator.size(); ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      product[static_cast<std::size_t>(i)] += Number(random_number<T>(seed_a, i, j)) * x(j);
    }
  }
  communicator.sum(product);
  Vector qrx(static_cast<std::size_t>(m));
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    if (row <= column) qrx[static_cast<std::size_t>(row)] += Number(a[at]) * x(column);
  });
  communicator.sum(qrx);
  times_q(communicator, false, tau, local, a, qrx);
  Vector y;
  for (std::int64_t i = 0; i < m; ++i) y.emplace_back(x(i));
  Vector back = y;
  times_q(communicator, false, tau, local, a, back);
  times_q(communicator, true, tau, local, a, back);
  const auto size = static_cast<double>(std::max({m, n, std::int64_t{1}}));
  const double unit = static_cast<double>(std::numeric_limits<decltype(std::abs(T{}))>::epsilon());
  const double most =
      std::max(largest(qrx, product, size * size * unit / 4), largest(back, y, size * unit));
  return {most, most < 1};
}

template Residual check_qr(comm::Communicator&, std::int64_t, std::int64_t,
                           const std::vector<float>&, const std::vector<layout::Patch>&,
                           const float*);
template Residual check_qr(comm::Communicator&, std::int64_t, std::int64_t,
                           const std::vector<double>&, const std::vector<layout::Patch>&,
                           const double*);
template Residual check_qr(comm::Communicator&, std::int64_t, std::int64_t,
                           const std::vector<std::complex<float>>&,
                           const std::vector<layout::Patch>&, const std::complex<float>*);
template Residual check_qr(comm::Communicator&, std::int64_t, std::int64_t,
                           const std::vector<std::complex<double>>&,
                           const std::vector<layout::Patch>&, const std::complex<double>*);

}  // namespace redblue::matgen
