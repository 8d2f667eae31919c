// SPDX-License-Identifier: BSD-3-Clause
// Small matrices of a QR factorization, as wide as a panel, columns without gaps.
#pragma once

#include <cstdint>
#include <vector>

namespace redblue::linalg {

// The upper triangle, column by column, of columns `leading` words apart; returns the end of what
// was written.
template <class T>
T* pack_upper(std::int64_t width, const T* x, std::int64_t leading, T* packed);
// Zeros below.
template <class T>
void unpack_upper(std::int64_t width, const T* packed, T* x);

// [R; other] = [top; bottom] R', R' in place of R; all are upper triangles with zeros below, [top;
// bottom] has orthonormal columns. `scratch`: 3 width^2 words.
template <class T>
void combine(std::int64_t width, T* r, const T* other, T* top, T* bottom, T* scratch);

// to = x y, all without gaps.
template <class T>
void multiply(std::int64_t width, const T* x, const T* y, T* to);

// Q - S = L U of the first rows Q of a matrix with orthonormal columns [ballard2014], in place; S
// is diagonal, signs[j] = 1 or -1 such that |U(j, j)| >= 1. t: T = -U S L^-H, zeros below the
// diagonal, so that I - V T V^H is unitary and starts with Q S, V = (Q - S) U^-1.
template <class T>
void reconstruct(std::int64_t width, T* q, std::vector<int>& signs, T* t);

// T of reflectors with these tau, from V^H V (above the diagonal only); zeros below.
template <class T>
void triangle_of(std::int64_t width, const T* gram, const T* tau, T* t);

}  // namespace redblue::linalg
