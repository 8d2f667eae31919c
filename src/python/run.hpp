// SPDX-License-Identifier: BSD-3-Clause
// A plan of redblue::linalg as Python calls it: element types and kernels are alike.
#pragma once

#include <pybind11/numpy.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "redblue/error.hpp"
#include "redblue/traffic.hpp"

namespace redblue::python {

using Phases = std::vector<std::pair<std::string, Traffic>>;

struct Run {
  virtual ~Run() = default;
  // Of the arrays in the plan's order; each contiguous, its words this rank's. Returns LAPACK's
  // info. Without the interpreter's lock.
  virtual std::int64_t execute(std::complex<double> alpha, std::complex<double> beta,
                               const std::vector<void*>& arrays) = 0;
  virtual Phases phases() const = 0;
  virtual std::string name() const { return ""; }
  virtual std::vector<std::int64_t> pivots() const { return {}; }

  char type = 'd';                  // s, d, c or z
  double bound = 0;                 // words that the busiest rank receives at least
  std::string bound_holds_for;      // "ranks that all do the same work"
  std::int64_t memory = 0;          // words
  double seconds = 0;               // in all calls of execute() so far
  std::vector<std::int64_t> words;  // of each array on this rank
  std::vector<bool> written;        // which of them change
};

template <class T>
constexpr char type_letter() {
  if constexpr (std::is_same_v<T, float>) return 's';
  if constexpr (std::is_same_v<T, double>) return 'd';
  if constexpr (std::is_same_v<T, std::complex<float>>) return 'c';
  return 'z';
}

// f with a value of the element type.
template <class F>
auto with_type(char type, F f) {
  switch (type) {
    case 's':
      return f(float{});
    case 'd':
      return f(double{});
    case 'c':
      return f(std::complex<float>{});
    case 'z':
      return f(std::complex<double>{});
    default:
      throw Error(std::string("elements of type ") + type, "no such type",
                  "s, d, c or z: float32, float64, complex64, complex128");
  }
}

// A number as one of the elements; the imaginary part of a real one is left out.
template <class T>
T element(std::complex<double> value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.real());
  } else {
    return T(static_cast<typename T::value_type>(value.real()),
             static_cast<typename T::value_type>(value.imag()));
  }
}

}  // namespace redblue::python
