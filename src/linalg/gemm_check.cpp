#include "linalg/gemm_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "linalg/native.hpp"

namespace redblue {

namespace {

constexpr std::uint64_t seed_x = 3;

Range chunk(std::int64_t length, int index, int count) {
  return {length * index / count, length * (index + 1) / count};
}

}  // namespace

double random_element(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  // splitmix64's finaliser over the three numbers
  std::uint64_t z = seed * 0x9e3779b97f4a7c15U +
                    static_cast<std::uint64_t>(row) * 0xbf58476d1ce4e5b9U +
                    static_cast<std::uint64_t>(column) * 0x94d049bb133111ebU;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-53 - 0.5;
}

template <class T>
T random_number(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  const double value = random_element(seed, row, column);
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    constexpr std::uint64_t imaginary = 1000;
    using Real = typename T::value_type;
    return {static_cast<Real>(value),
            static_cast<Real>(random_element(seed + imaginary, row, column))};
  }
}

template <class T>
std::vector<T> random_array(const std::vector<layout::Patch>& patches, Words words,
                            std::uint64_t seed) {
  using Real = decltype(std::abs(T{}));
  std::vector<T> values(static_cast<std::size_t>(words.value),
                        T(std::numeric_limits<Real>::quiet_NaN()));
  layout::for_each_element(patches, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
    values[static_cast<std::size_t>(place)] = random_number<T>(seed, row, column);
  });
  return values;
}

template <class T>
std::vector<T> random_part(const GemmPlan<T>& plan, Operand operand, std::uint64_t seed) {
  return random_array<T>(patches_of(plan.parts(operand)), plan.owned(operand), seed);
}

template <class T>
Residual check_product(comm::Communicator& communicator, const GemmShape& shape,
                       const std::vector<layout::Patch>& held, const T* c) {
  using Number = std::complex<double>;
  std::vector<double> x(static_cast<std::size_t>(shape.n));
  for (std::int64_t j = 0; j < shape.n; ++j)
    x[static_cast<std::size_t>(j)] = random_element(seed_x, j, 0);
  std::vector<Number> bx(static_cast<std::size_t>(shape.k));
  const Range inner = chunk(shape.k, communicator.rank().value, communicator.size());
  for (std::int64_t l = inner.begin; l < inner.end; ++l) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      bx[static_cast<std::size_t>(l)] +=
          Number(random_number<T>(seed_b, l, j)) * x[static_cast<std::size_t>(j)];
    }
  }
  communicator.sum(bx);
  std::vector<Number> difference(static_cast<std::size_t>(shape.m));
  layout::for_each_element(held, [&](std::int64_t row, std::int64_t column, std::int64_t offset) {
    difference[static_cast<std::size_t>(row)] +=
        Number(c[offset]) * x[static_cast<std::size_t>(column)];
  });
  const Range rows = chunk(shape.m, communicator.rank().value, communicator.size());
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t l = 0; l < shape.k; ++l) {
      difference[static_cast<std::size_t>(i)] -=
          Number(random_number<T>(seed_a, i, l)) * bx[static_cast<std::size_t>(l)];
    }
  }
  communicator.sum(difference);
  double largest = 0;
  bool finite = true;
  for (const Number& d : difference) {
    largest = std::max(largest, std::abs(d));
    finite = finite && std::isfinite(std::abs(d));
  }
  using Real = decltype(std::abs(T{}));
  const double scale = static_cast<double>(std::max<std::int64_t>(1, shape.k * shape.n)) *
                       static_cast<double>(std::numeric_limits<Real>::epsilon()) / 8;
  return {finite ? largest / scale : std::numeric_limits<double>::infinity(),
          finite && largest < scale};
}

#define REDBLUE_INSTANTIATE(T)                                                                   \
  template T random_number<T>(std::uint64_t, std::int64_t, std::int64_t);                        \
  template std::vector<T> random_array(const std::vector<layout::Patch>&, Words, std::uint64_t); \
  template std::vector<T> random_part(const GemmPlan<T>&, Operand, std::uint64_t);               \
  template Residual check_product(comm::Communicator&, const GemmShape&,                         \
                                  const std::vector<layout::Patch>&, const T*);
REDBLUE_INSTANTIATE(float)
REDBLUE_INSTANTIATE(double)
REDBLUE_INSTANTIATE(std::complex<float>)
REDBLUE_INSTANTIATE(std::complex<double>)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue
