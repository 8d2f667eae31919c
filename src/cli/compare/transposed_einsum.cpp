// SPDX-License-Identifier: BSD-3-Clause
#include "cli/compare/transposed_einsum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <string>

#include "linalg/blas/blas.hpp"

namespace redblue::cli {

namespace {

std::map<char, std::int64_t> extents_of(const EinsumShape& shape) {
  std::map<char, std::int64_t> result;
  for (const EinsumTensor& t : shape.tensors) {
    for (std::size_t l = 0; l < t.letters.size(); ++l) result[t.letters[l]] = t.extents[l];
  }
  return result;
}

// One part of the longest letter of the result.
EinsumShape share(const EinsumShape& shape, int part, int parts) {
  std::map<std::string, std::int64_t> sizes;
  char longest = 0;
  std::map<char, std::int64_t> extents = extents_of(shape);
  for (const char c : shape.result().letters) {
    if (longest == 0 || extents[c] > extents[longest]) longest = c;
  }
  if (longest != 0) {
    const std::int64_t all = extents[longest];
    extents[longest] = all * (part + 1) / parts - all * part / parts;
  }
  for (const auto& [letter, extent] : extents) sizes["N" + std::string(1, letter)] = extent;
  return einsum_shape(shape.text, sizes);
}

bool has(const EinsumTensor& tensor, char letter) {
  return tensor.letters.find(letter) != std::string::npos;
}

std::int64_t stride(const EinsumTensor& tensor, char letter) {
  std::int64_t result = 1;
  for (std::size_t l = tensor.letters.size(); tensor.letters[--l] != letter;)
    result *= tensor.extents[l];
  return result;
}

}  // namespace

// Shapes of a chain on one rank say which two are multiplied and what is kept.
template <class T>
TransposedEinsum<T>::TransposedEinsum(const EinsumShape& shape, int part, int parts)
    : shape_(share(shape, part, parts)) {
  const auto size = [this](const EinsumTensor& t) {
    return static_cast<std::size_t>(shape_.elements(t));
  };
  for (std::size_t o = 0; o < shape_.operands(); ++o)
    arrays_.emplace_back(size(shape_.tensors[o]), T(0.5));
  const EinsumChainReport chain =
      plan_einsum_chain({shape_, 1, {}, Objective::words, {}}, EinsumOrder::operations);
  for (const EinsumStep& step : chain.steps) {
    const std::vector<EinsumTensor>& tensors = step.shape.tensors;
    const EinsumTensor& a = tensors.front();
    const EinsumTensor& b = tensors[tensors.size() - 2];
    const EinsumTensor& c = tensors.back();
    const bool is_pair = step.operands.size() == 2;
    Product p;
    p.left = step.operands.front();
    p.right = step.operands.back();
    const auto extents = extents_of(step.shape);
    std::string m, n, k, batches;
    for (const auto& [letter, extent] : extents) {
      const bool in_b = is_pair && has(b, letter);
      std::string& role = !has(c, letter) ? k : !in_b ? m : has(a, letter) ? batches : n;
      role += letter;
      (&role == &k ? p.k : &role == &m ? p.m : &role == &n ? p.n : p.batches) *= extent;
    }
    const auto move = [&extents](const EinsumTensor& t, const std::string& order) {
      Move result;
      for (const char letter : order) {
        result.extents.push_back(extents.at(letter));
        result.strides.push_back(has(t, letter) ? stride(t, letter) : 0);
      }
      return result;
    };
    p.from_left = move(a, m + k + batches);
    p.from_right = move(b, k + n + batches);
    p.to_result = move(c, m + n + batches);
    if (!is_pair) p.from_right.strides.assign(p.from_right.strides.size(), 0);
    p.a.resize(static_cast<std::size_t>(p.m * p.k * p.batches));
    p.b.resize(static_cast<std::size_t>(p.k * p.n * p.batches));
    p.c.resize(static_cast<std::size_t>(p.m * p.n * p.batches));
    p.result.resize(size(c));
    products_.push_back(std::move(p));
  }
}

template <class T>
void TransposedEinsum<T>::gather(const Move& move, const T* from, T* to) {
  std::vector<std::int64_t> at(move.extents.size(), 0);
  if (std::find(move.extents.begin(), move.extents.end(), 0) != move.extents.end()) return;
  const std::int64_t line = move.extents.empty() ? 1 : move.extents[0];
  const std::int64_t step = move.extents.empty() ? 0 : move.strides[0];
  for (;;) {
    for (std::int64_t x = 0; x < line; ++x) to[x] = from[x * step];
    to += line;
    std::size_t t = 1;
    for (; t < at.size(); ++t) {
      from += move.strides[t];
      if (++at[t] < move.extents[t]) break;
      from -= move.strides[t] * move.extents[t];
      at[t] = 0;
    }
    if (t >= at.size()) return;
  }
}

template <class T>
void TransposedEinsum<T>::scatter(const Move& move, const T* from, T* to) {
  std::vector<std::int64_t> at(move.extents.size(), 0);
  if (std::find(move.extents.begin(), move.extents.end(), 0) != move.extents.end()) return;
  const std::int64_t line = move.extents.empty() ? 1 : move.extents[0];
  const std::int64_t step = move.extents.empty() ? 0 : move.strides[0];
  for (;;) {
    for (std::int64_t x = 0; x < line; ++x) to[x * step] = from[x];
    from += line;
    std::size_t t = 1;
    for (; t < at.size(); ++t) {
      to += move.strides[t];
      if (++at[t] < move.extents[t]) break;
      to -= move.strides[t] * move.extents[t];
      at[t] = 0;
    }
    if (t >= at.size()) return;
  }
}

template <class T>
void TransposedEinsum<T>::run() {
  const auto array = [this](std::size_t number) {
    return number < arrays_.size() ? arrays_[number].data()
                                   : products_[number - arrays_.size()].result.data();
  };
  const T one(1);
  for (Product& p : products_) {
    gather(p.from_left, array(p.left), p.a.data());
    if (p.left != p.right) {
      gather(p.from_right, array(p.right), p.b.data());
    } else {
      gather(p.from_right, &one, p.b.data());  // a sum: times a vector of ones
    }
    for (std::int64_t h = 0; h < p.batches; ++h) {
      blas::gemm<T>(p.m, p.n, p.k, T(1),
                    {p.a.data() + h * p.m * p.k, std::max(std::int64_t{1}, p.m)},
                    {p.b.data() + h * p.k * p.n, std::max(std::int64_t{1}, p.k)}, T(0),
                    p.c.data() + h * p.m * p.n, std::max(std::int64_t{1}, p.m));
    }
    scatter(p.to_result, p.c.data(), p.result.data());
  }
}

template <class T>
bool TransposedEinsum<T>::is_right() const {
  double terms = shape_.products();
  for (const EinsumIndex& i : shape_.indices) {
    if (shape_.result().letters.find(i.letters[0]) != std::string::npos && i.extent > 0)
      terms /= static_cast<double>(i.extent);
  }
  const double expected = terms * std::pow(0.5, static_cast<double>(shape_.operands()));
  constexpr double rounding = 1e-3;
  const std::vector<T>& result = products_.back().result;
  return std::all_of(result.begin(), result.end(), [expected](const T& x) {
    return std::abs(std::complex<double>(x) - expected) <= rounding * expected;
  });
}

template class TransposedEinsum<float>;
template class TransposedEinsum<double>;
template class TransposedEinsum<std::complex<float>>;
template class TransposedEinsum<std::complex<double>>;

}  // namespace redblue::cli
