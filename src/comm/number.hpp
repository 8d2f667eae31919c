// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic all element types share.
#pragma once

#include <complex>
#include <type_traits>

namespace redblue::comm {

template <class T>
T conjugated(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return x;
  } else {
    return std::conj(x);
  }
}

}  // namespace redblue::comm

// instantiate(T) for each element type T.
#define REDBLUE_FOR_ALL_NUMBERS(instantiate)                              \
  instantiate(float) instantiate(double) instantiate(std::complex<float>) \
      instantiate(std::complex<double>)
