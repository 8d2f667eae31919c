// SPDX-License-Identifier: BSD-3-Clause
// Element types as ScaLAPACK's names spell them, and entries as they are called.
#pragma once

#include <cctype>
#include <complex>
#include <string>

#include "redblue/symmetric.hpp"

namespace redblue::scalapack {

inline char letter(int) {
  return 'i';
}
inline char letter(float) {
  return 's';
}
inline char letter(double) {
  return 'd';
}
inline char letter(std::complex<float>) {
  return 'c';
}
inline char letter(std::complex<double>) {
  return 'z';
}

// ScaLAPACK's own p?gemm, as Fortran passes arguments.
template <class T>
using Pgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const T*,
                       const T*, const int*, const int*, const int*, const T*, const int*,
                       const int*, const int*, const T*, T*, const int*, const int*, const int*);

// float for std::complex<float>, say.
template <class T>
using Real = decltype(std::abs(T{}));

// "pdgemm" for double and "gemm".
template <class T>
std::string routine(const char* name) {
  return std::string("p") + letter(T{}) + name;
}

inline bool is_operation(char c) {
  const int upper = std::toupper(static_cast<unsigned char>(c));
  return upper == 'N' || upper == 'T' || upper == 'C';
}

inline bool is_triangle(char c) {
  const int upper = std::toupper(static_cast<unsigned char>(c));
  return upper == 'U' || upper == 'L';
}

inline Triangle triangle(char c) {
  return std::toupper(static_cast<unsigned char>(c)) == 'U' ? Triangle::upper : Triangle::lower;
}

inline Op operation(char c) {
  const int upper = std::toupper(static_cast<unsigned char>(c));
  return upper == 'N' ? Op::none : upper == 'T' ? Op::transpose : Op::conjugate_transpose;
}

}  // namespace redblue::scalapack
