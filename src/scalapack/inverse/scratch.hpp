// SPDX-License-Identifier: BSD-3-Clause
// Arrays for scratch that ScaLAPACK's routines ask of their callers, and questions for their sizes.
#pragma once

#include <complex>

namespace redblue::scalapack {

// The second such array is of integers, of complex routines of real numbers.
template <class T>
struct SecondScratch {
  using type = int;
};
template <class Real>
struct SecondScratch<std::complex<Real>> {
  using type = Real;
};

template <class T>
using Second = typename SecondScratch<T>::type;

template <class T, class S>
struct Scratch {
  T* work;
  const int* work_size;
  S* second;
  const int* second_size;

  bool asks() const { return *work_size == -1 || *second_size == -1; }
};

// What ScaLAPACK answers.
template <class T, class S>
struct ScratchSizes {
  T work{};
  S second{};
  int info = 0;

  bool suffices(const Scratch<T, S>& scratch) const {
    return info == 0 && *scratch.work_size >= static_cast<int>(std::real(work)) &&
           *scratch.second_size >= static_cast<int>(second);
  }
  // As ScaLAPACK leaves them.
  void leave_in(const Scratch<T, S>& scratch) const {
    if (*scratch.work_size > 0) scratch.work[0] = work;
    if (*scratch.second_size > 0) scratch.second[0] = second;
  }
};

}  // namespace redblue::scalapack
