# SPDX-License-Identifier: BSD-3-Clause
"""Ten kernels as Python loops: how much faster redblue.kernel is than the interpreter, with the same bits; bound and traffic.

    python3 bench/python/kernel_speed.py

Seconds are the least of several calls, of the interpreter those of one. Exits with 1 where a kernel gains less than 100.
"""

import pathlib
import sys
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/python"))
import loops  # noqa: E402

import redblue  # noqa: E402

SIZES = {"gemm": 80, "syrk": 90, "cholesky": 110, "lu": 90, "trisolv": 700, "jacobi_2d": 130, "seidel_2d": 130,
         "floyd_warshall": 75, "gesummv": 500, "convolution": 110}
S = 256


def seconds(function, arguments, calls):
    best = float("inf")
    for _ in range(calls):
        mine = [a.copy() if isinstance(a, numpy.ndarray) else a for a in arguments]
        begin = time.perf_counter()
        function(*mine)
        best = min(best, time.perf_counter() - begin)
    return best, mine


def main():
    slow = 0
    print(f"{'kernel':15} {'n':>4} {'Python s':>9} {'kernel s':>9} {'times':>6}  same bits  {'bound':>11} {'as written':>11}  (S = {S})")
    for name, (function, data, sizes) in loops.CASES.items():
        n = SIZES[name]
        kernel = redblue.kernel(function)
        arguments = data(n)
        seconds(kernel, arguments, 1)  # compiles
        fast, ours = seconds(kernel, arguments, 20)
        slowly, theirs = seconds(function, arguments, 1)
        same = all(numpy.asarray(x).tobytes() == numpy.asarray(y).tobytes() for x, y in zip(ours, theirs))
        given = {**sizes(n), "S": S}
        bound, moved = kernel.bound(given).value, kernel.traffic(given).belady.moved
        print(f"{name:15} {n:4} {slowly:9.4f} {fast:9.6f} {slowly / fast:6.0f}  {'yes' if same else 'NO':9}  {bound:11,.0f} {moved:11,}",
              flush=True)
        slow += slowly / fast < 100 or not same or bound > moved
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
