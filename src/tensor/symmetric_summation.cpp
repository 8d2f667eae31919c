// SPDX-License-Identifier: BSD-3-Clause
#include "tensor/symmetric_summation.hpp"

#include <algorithm>
#include <complex>

#include "decomposition/symmetric/triangle.hpp"

namespace redblue::tensor {

namespace {

// What of a line of a block of the triangle stands in the result, there and mirrored.
struct Mirrored {
  std::int64_t below = 0;     // first row below or on the diagonal
  std::int64_t strictly = 0;  // first row below the diagonal
};

Mirrored mirrored(const einsum::OwnedLine& line) {
  return {std::clamp(line.column, line.begin, line.end),
          std::clamp(line.column + 1, line.begin, line.end)};
}

}  // namespace

template <class T>
SymmetricSummation<T>::SymmetricSummation(MPI_Comm communicator, Rank rank,
                                          const EinsumChainReport& plan,
                                          const EinsumOptions& options)
    : step_(plan.steps.front().shape),
      product_(*einsum::symmetric_product(plan.steps.front())),
      ownership_(ownership(plan.symmetric->decomposition)),
      syrk_(communicator, product_.shape, false,
            {options.memory, options.objective, options.machine, false}) {
  std::int64_t words = 0;  // of the triangle's blocks
  std::int64_t next = 0;   // in the result
  const auto add = [&](const einsum::OwnedLine& line, std::int64_t from) {
    if (from == line.end) return;
    copies_.push_back({line.offset + from - line.begin, line.end - from, next});
    next += line.end - from;
  };
  for (const einsum::OwnedLine& line : einsum::owned_lines(ownership_.c, rank)) {
    words = std::max(words, line.offset + line.end - line.begin);
    add(line, mirrored(line).below);
    add(line, mirrored(line).strictly);
  }
  triangle_.resize(static_cast<std::size_t>(words));
}

template <class T>
std::vector<EinsumPart> SymmetricSummation<T>::parts(bool of_result, Rank rank) const {
  const EinsumTensor& tensor = step_.tensors[of_result ? 2 : 0];
  std::vector<EinsumPart> result;
  std::int64_t next = 0;
  // at this value of the tensor's other index
  const auto add = [&](std::size_t along, const Range& line, std::int64_t at) {
    if (line.size() == 0) return;
    EinsumPart part;
    for (const int t : tensor.indices) {
      const auto index = static_cast<std::size_t>(t);
      part.ranges.push_back(index == along ? line : Range{at, at + 1});
    }
    part.end = line.size();
    part.offset = next;
    next += part.end;
    result.push_back(std::move(part));
  };
  for (const einsum::OwnedLine& line :
       einsum::owned_lines(of_result ? ownership_.c : ownership_.a, rank)) {
    if (!of_result) {
      add(product_.rows, {line.begin, line.end}, line.column);
      continue;
    }
    add(product_.rows, {mirrored(line).below, line.end}, line.column);
    add(product_.others, {mirrored(line).strictly, line.end}, line.column);
  }
  return result;
}

template <class T>
Words SymmetricSummation<T>::memory() const {
  return syrk_.memory();
}

template <class T>
void SymmetricSummation<T>::execute(T alpha, const T* a, T beta, T* result,
                                    EinsumTraffic& traffic) {
  syrk_.execute(alpha, a, nullptr, T(0), triangle_.data());
  traffic.exchange = syrk_.traffic().exchange;
  traffic.reduce = syrk_.traffic().reduce;
  for (const Copy& c : copies_) {
    const T* from = triangle_.data() + c.from;
    T* to = result + c.to;
    if (beta == T(0)) {
      std::copy_n(from, c.length, to);
    } else {
      for (std::int64_t e = 0; e < c.length; ++e) to[e] = beta * to[e] + from[e];
    }
  }
}

template class SymmetricSummation<float>;
template class SymmetricSummation<double>;
template class SymmetricSummation<std::complex<float>>;
template class SymmetricSummation<std::complex<double>>;

}  // namespace redblue::tensor
