// SPDX-License-Identifier: BSD-3-Clause
// Settings and memory that all ScaLAPACK calls redblue computes itself share.
#pragma once

#include <complex>
#include <cstdint>

namespace redblue::scalapack {

// REDBLUE_MIN_WORK: calls with fewer operations (multiplications; elements moved, for routines that
// only move) go to ScaLAPACK.
double least_work(double otherwise);

// At least that many bytes, aligned for any element; valid until the next call. Kept between calls,
// so that the operating system hands out its pages once. Throws std::bad_alloc.
void* workspace_bytes(std::int64_t bytes);

template <class T>
T* workspace(std::int64_t words) {
  return static_cast<T*>(workspace_bytes(words * static_cast<std::int64_t>(sizeof(T))));
}

}  // namespace redblue::scalapack
