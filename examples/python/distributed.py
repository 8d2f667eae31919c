# SPDX-License-Identifier: BSD-3-Clause
"""A product and a linear system on the ranks this is started on, with what they moved beside what must move.

    mpirun -n 4 python3 examples/python/distributed.py
"""

import numpy

import redblue

n = 256
numbers = numpy.random.default_rng(0)
a, b = numbers.random((n, n)) + n * numpy.eye(n), numbers.random((n, 3))  # the same on all ranks

A = redblue.Matrix.from_numpy(a)
C = A @ A
busiest = C.traffic.busiest()  # collective
assert numpy.allclose(C.to_numpy(), a @ a)

X = redblue.solve(A, b)
assert numpy.allclose(a @ X.to_numpy(), b)

if A.comm.rank == 0:
    print(f"{C.traffic.plan}: {busiest} words received by the busiest rank, {C.traffic.bound:.0f} at least")
    print(f"solve: {X.traffic.phases}")
