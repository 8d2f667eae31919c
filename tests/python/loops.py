# SPDX-License-Identifier: BSD-3-Clause
"""Ten kernels as Python loops over numpy arrays, and data for them: for tests/python and bench/python."""

import math

import numpy


def gemm(A, B, C, alpha, beta):
    n, m = C.shape
    k = A.shape[1]
    for i in range(n):
        for j in range(m):
            C[i, j] *= beta
        for l in range(k):
            for j in range(m):
                C[i, j] += alpha * A[i, l] * B[l, j]


def syrk(A, C, n, k):
    for i in range(n):
        for j in range(i + 1):
            for l in range(k):
                C[i, j] += A[i, l] * A[j, l]


def cholesky(A, n):
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i])


def lu(A, n):
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]


def trisolv(L, x, b, n):
    for i in range(n):
        x[i] = b[i]
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] = x[i] / L[i, i]


def jacobi_2d(A, B, n, steps):
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])


def seidel_2d(A, n, steps):
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1] + A[i, j - 1] + A[i, j] + A[i, j + 1]
                           + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]) / 9.0


def floyd_warshall(D, n):
    for k in range(n):
        for i in range(n):
            for j in range(n):
                D[i, j] = min(D[i, j], D[i, k] + D[k, j])


def gesummv(A, B, x, y, alpha, beta, n):
    for i in range(n):
        s = 0.0
        t = 0.0
        for j in range(n):
            s += A[i, j] * x[j]
            t += B[i, j] * x[j]
        y[i] = alpha * s + beta * t


def convolution(image, weights, out, n, m, r):
    for i in range(n - r + 1):
        for j in range(m - r + 1):
            total = 0.0
            for p in range(r):
                for q in range(r):
                    total += weights[p, q] * image[i + p, j + q]
            out[i, j] = total / (r * r)


def _random(seed, *shape):
    return numpy.random.default_rng(seed).uniform(0.5, 1.5, shape)


def _dominant(seed, n):
    return _random(seed, n, n) + n * numpy.eye(n)


# Name -> function, arguments for a size n, sizes of the parameters.
CASES = {
    "gemm": (gemm, lambda n: (_random(1, n, n), _random(2, n, n), _random(3, n, n), 1.5, 0.5), lambda n: dict(n=n, m=n, k=n)),
    "syrk": (syrk, lambda n: (_random(1, n, n), _random(2, n, n), n, n), lambda n: dict(n=n, k=n)),
    "cholesky": (cholesky, lambda n: (_dominant(1, n) + _dominant(1, n).T, n), lambda n: dict(n=n)),
    "lu": (lu, lambda n: (_dominant(1, n), n), lambda n: dict(n=n)),
    "trisolv": (trisolv, lambda n: (_dominant(1, n), _random(2, n), _random(3, n), n), lambda n: dict(n=n)),
    "jacobi_2d": (jacobi_2d, lambda n: (_random(1, n, n), _random(2, n, n), n, 5), lambda n: dict(n=n, steps=5)),
    "seidel_2d": (seidel_2d, lambda n: (_random(1, n, n), n, 5), lambda n: dict(n=n, steps=5)),
    "floyd_warshall": (floyd_warshall, lambda n: (_random(1, n, n), n), lambda n: dict(n=n)),
    "gesummv": (gesummv, lambda n: (_random(1, n, n), _random(2, n, n), _random(3, n), _random(4, n), 1.5, 1.2, n),
                lambda n: dict(n=n)),
    "convolution": (convolution, lambda n: (_random(1, n, n), _random(2, 3, 3), _random(3, n, n), n, n, 3),
                    lambda n: dict(n=n, m=n, r=3)),
}
