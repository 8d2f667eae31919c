// SPDX-License-Identifier: BSD-3-Clause
// Settings and memory that all ScaLAPACK calls redblue computes itself share.
#pragma once

#include <complex>
#include <cstdint>

namespace redblue::scalapack {

// Operations (multiplications; elements moved, for routines that only move) from which calls are
// served: REDBLUE_MIN_WORK, or else the given number.
double least_work(double otherwise);

// At least that many bytes, aligned for any element; valid until the next call. Kept between calls,
// so that the operating system hands out its pages once. Throws std::bad_alloc.
void* workspace_bytes(std::int64_t bytes);

// Bytes that are held now.
std::int64_t workspace_held();

// The most bytes asked for since the last call of this; gives back what exceeds the bytes that may
// be kept between calls: those of REDBLUE_MEMORY, or else a sixteenth of what was free at first.
std::int64_t finish_with_workspace();

template <class T>
T* workspace(std::int64_t words) {
  return static_cast<T*>(workspace_bytes(words * static_cast<std::int64_t>(sizeof(T))));
}

}  // namespace redblue::scalapack
