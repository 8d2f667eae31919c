// SPDX-License-Identifier: BSD-3-Clause
#include "matgen/einsum_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <string>

namespace redblue::matgen {

namespace {

// One letter: its extent and how far a step along it is in every tensor, as arrays in C.
struct Letter {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
};

struct Letters {
  std::vector<Letter> of_result;  // as written
  std::vector<Letter> summed;
  double length = 1;  // of a sum

  explicit Letters(const EinsumShape& shape) {
    std::map<char, Letter> all;
    for (std::size_t a = 0; a < shape.tensors.size(); ++a) {
      const EinsumTensor& tensor = shape.tensors[a];
      std::int64_t stride = 1;
      for (std::size_t l = tensor.letters.size(); l-- > 0;) {
        Letter& letter = all[tensor.letters[l]];
        letter.extent = tensor.extents[l];
        letter.strides.resize(shape.tensors.size(), 0);
        letter.strides[a] = stride;
        stride *= tensor.extents[l];
      }
    }
    for (const char c : shape.result().letters) of_result.push_back(all.at(c));
    for (const auto& [c, letter] : all) {
      if (shape.result().letters.find(c) != std::string::npos) continue;
      summed.push_back(letter);
      length *= static_cast<double>(letter.extent);
    }
  }
};

template <class T>
struct Wide {
  using Type = double;
};
template <class R>
struct Wide<std::complex<R>> {
  using Type = std::complex<double>;
};

// The element of the result at this place, term by term.
template <class T>
typename Wide<T>::Type element(const Letters& letters, std::size_t operands, std::int64_t place) {
  using W = typename Wide<T>::Type;
  if (letters.length == 0) return W(0);
  std::vector<std::int64_t> places(operands, 0);
  for (std::size_t l = letters.of_result.size(); l-- > 0;) {
    const Letter& letter = letters.of_result[l];
    for (std::size_t o = 0; o < operands; ++o)
      places[o] += place % letter.extent * letter.strides[o];
    place /= letter.extent;
  }
  W sum = W(0);
  std::vector<std::int64_t> at(letters.summed.size(), 0);
  for (;;) {
    W product = W(1);
    for (std::size_t o = 0; o < operands; ++o) product *= W(tensor_number<T>(o, places[o]));
    sum += product;
    std::size_t l = 0;
    for (; l < at.size(); ++l) {
      const Letter& letter = letters.summed[l];
      const bool again = ++at[l] == letter.extent;
      for (std::size_t o = 0; o < operands; ++o)
        places[o] += again ? -(letter.extent - 1) * letter.strides[o] : letter.strides[o];
      if (!again) break;
      at[l] = 0;
    }
    if (l == at.size()) return sum;
  }
}

}  // namespace

template <class T>
T tensor_number(std::size_t operand, std::int64_t place) {
  return random_number<T>(static_cast<std::uint64_t>(operand) + 101, place, 0);
}

template <class T>
std::vector<T> random_part(const EinsumPlan<T>& plan, std::size_t operand) {
  std::vector<T> values(static_cast<std::size_t>(plan.owned(operand).value));
  plan.for_each_element(operand, [&](std::int64_t place, std::int64_t offset) {
    values[static_cast<std::size_t>(offset)] = tensor_number<T>(operand, place);
  });
  return values;
}

template <class T>
Residual check_einsum(comm::Communicator& communicator, const EinsumPlan<T>& plan,
                      const T* result) {
  constexpr double most_products = 1 << 22;
  const Letters letters(plan.shape());
  const std::size_t operands = plan.shape().operands();
  const std::int64_t owned = plan.owned(operands).value;
  const auto wanted = static_cast<std::int64_t>(most_products / std::max(1.0, letters.length));
  const std::int64_t step = std::max<std::int64_t>(1, owned / std::max<std::int64_t>(1, wanted));
  using Real = decltype(std::abs(T{}));
  const double largest = std::pow(std::is_same_v<T, Real> ? 0.5 : std::sqrt(0.5), double(operands));
  const double unit = (letters.length + static_cast<double>(operands)) *
                      static_cast<double>(std::numeric_limits<Real>::epsilon()) * largest;
  Residual residual;
  std::int64_t number = 0;
  plan.for_each_element(operands, [&](std::int64_t place, std::int64_t offset) {
    const bool taken = number++ % step == 0;
    const auto found = static_cast<typename Wide<T>::Type>(result[offset]);
    double difference = std::isfinite(std::abs(found)) ? 0 : INFINITY;
    if (taken && difference == 0)
      difference = std::abs(found - element<T>(letters, operands, place));
    residual.value = std::max(residual.value, difference / unit);
  });
  residual.value = communicator.maximum(residual.value);
  residual.ok = residual.value < 1;
  return residual;
}

#define REDBLUE_INSTANTIATE(T)                                            \
  template T tensor_number<T>(std::size_t, std::int64_t);                 \
  template std::vector<T> random_part(const EinsumPlan<T>&, std::size_t); \
  template Residual check_einsum(comm::Communicator&, const EinsumPlan<T>&, const T*);
REDBLUE_INSTANTIATE(float)
REDBLUE_INSTANTIATE(double)
REDBLUE_INSTANTIATE(std::complex<float>)
REDBLUE_INSTANTIATE(std::complex<double>)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::matgen
