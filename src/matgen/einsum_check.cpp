// SPDX-License-Identifier: BSD-3-Clause
#include "matgen/einsum_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <string>

#include "comm/number.hpp"
#include "redblue/error.hpp"

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

  explicit Letters(const std::vector<EinsumTensor>& tensors) {
    std::map<char, Letter> all;
    for (std::size_t a = 0; a < tensors.size(); ++a) {
      const EinsumTensor& tensor = tensors[a];
      std::int64_t stride = 1;
      for (std::size_t l = tensor.letters.size(); l-- > 0;) {
        Letter& letter = all[tensor.letters[l]];
        letter.extent = tensor.extents[l];
        letter.strides.resize(tensors.size(), 0);
        letter.strides[a] = stride;
        stride *= tensor.extents[l];
      }
    }
    for (const char c : tensors.back().letters) of_result.push_back(all.at(c));
    for (const auto& [c, letter] : all) {
      if (tensors.back().letters.find(c) != std::string::npos) continue;
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

// The element of the result at this place, term by term, of operands whose element number p is
// number(operand, p).
template <class W, class F>
W element(const Letters& letters, std::size_t operands, std::int64_t place, F number) {
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
    for (std::size_t o = 0; o < operands; ++o) product *= number(o, places[o]);
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

// Each element of the last of several summations, and how far rounding can take it at most.
template <class W>
struct Expected {
  std::vector<W> values;
  // The same summations of the operands' absolute values: a sum in any order of these terms is off
  // by at most `roundings` units of rounding times this.
  std::vector<double> absolute;
  double roundings = 0;
};

// Throws Error where `shape` takes more products than a check is for.
void refuse_many_products(const EinsumShape& shape) {
  constexpr double most_products = 3e8;
  double products = 0;
  for (const EinsumStatement& s : shape.statements) {
    products += Letters(s.tensors).length * static_cast<double>(shape.elements(s.tensors.back()));
  }
  if (products <= most_products) return;
  throw Error("the check of einsum '" + shape.text + "'",
              std::to_string(static_cast<std::int64_t>(products)) + " products",
              "check smaller extents, and run these with --no-check");
}

// What one summation makes of these tensors: element(..) of each place of its result.
template <class W>
std::vector<W> summed(const EinsumShape& shape, const EinsumStatement& s,
                      const std::vector<std::vector<W>>& tensors) {
  const Letters letters(s.tensors);
  std::vector<W> result;
  for (std::int64_t p = 0; p < shape.elements(s.tensors.back()); ++p) {
    result.push_back(element<W>(letters, s.operands.size(), p, [&](std::size_t o, std::int64_t at) {
      return tensors[s.operands[o]][static_cast<std::size_t>(at)];
    }));
  }
  return result;
}

template <class W, class F>
Expected<W> last_result(const EinsumShape& shape, F number) {
  refuse_many_products(shape);
  std::vector<std::vector<W>> values(shape.operands());
  std::vector<std::vector<double>> absolute(shape.operands());
  std::vector<double> roundings(shape.operands(), 0);
  for (std::size_t o = 0; o < shape.operands(); ++o) {
    for (std::int64_t p = 0; p < shape.elements(shape.tensors[o]); ++p) {
      values[o].push_back(number(o, p));
      absolute[o].push_back(std::abs(values[o].back()));
    }
  }
  for (const EinsumStatement& s : shape.statements) {
    double own = Letters(s.tensors).length + static_cast<double>(s.operands.size());
    for (const std::size_t o : s.operands) own += roundings[o];
    values.push_back(summed(shape, s, values));
    absolute.push_back(summed(shape, s, absolute));
    roundings.push_back(own);
  }
  return {std::move(values.back()), std::move(absolute.back()), roundings.back()};
}

template <class T>
Residual check_program(comm::Communicator& communicator, const EinsumPlan<T>& plan,
                       const T* result) {
  using W = typename Wide<T>::Type;
  using Real = decltype(std::abs(T{}));
  const EinsumShape& shape = plan.shape();
  const Expected<W> expected = last_result<W>(
      shape, [](std::size_t o, std::int64_t p) { return W(tensor_number<T>(o, p)); });
  const double unit =
      expected.roundings * static_cast<double>(std::numeric_limits<Real>::epsilon());
  Residual residual;
  plan.for_each_element(shape.operands(), [&](std::int64_t place, std::int64_t offset) {
    const auto p = static_cast<std::size_t>(place);
    const auto found = static_cast<W>(result[offset]);
    const double difference =
        std::isfinite(std::abs(found)) ? std::abs(found - expected.values[p]) : INFINITY;
    const double most = std::max(unit * expected.absolute[p], std::numeric_limits<double>::min());
    residual.value = std::max(residual.value, difference / most);
  });
  residual.value = communicator.maximum(residual.value);
  residual.ok = residual.value < 1;
  return residual;
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
  if (!plan.shape().statements.empty()) return check_program(communicator, plan, result);
  constexpr double most_products = 1 << 22;
  const Letters letters(plan.shape().tensors);
  const std::size_t operands = plan.shape().operands();
  const std::int64_t owned = plan.owned(operands).value;
  const auto wanted = static_cast<std::int64_t>(most_products / std::max(1.0, letters.length));
  const std::int64_t step = std::max<std::int64_t>(1, owned / std::max<std::int64_t>(1, wanted));
  using Real = decltype(std::abs(T{}));
  const double largest = std::pow(std::is_same_v<T, Real> ? 0.5 : std::sqrt(0.5), double(operands));
  const double unit = (letters.length + static_cast<double>(operands)) *
                      static_cast<double>(std::numeric_limits<Real>::epsilon()) * largest;
  using W = typename Wide<T>::Type;
  const auto number = [](std::size_t o, std::int64_t p) { return W(tensor_number<T>(o, p)); };
  Residual residual;
  std::int64_t visited = 0;
  plan.for_each_element(operands, [&](std::int64_t place, std::int64_t offset) {
    const bool taken = visited++ % step == 0;
    const auto found = static_cast<typename Wide<T>::Type>(result[offset]);
    double difference = std::isfinite(std::abs(found)) ? 0 : INFINITY;
    if (taken && difference == 0)
      difference = std::abs(found - element<W>(letters, operands, place, number));
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
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::matgen
