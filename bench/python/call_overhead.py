# SPDX-License-Identifier: BSD-3-Clause
"""What Python adds to a call of a plan: A @ B, syrk, cholesky, solve of small matrices.

    mpirun -n 4 python3 bench/python/call_overhead.py [CALLS]

Prints microseconds of a call, of the plan's execute() inside the same calls (C++, with its waiting for other ranks), and
between them; of the rank for which that is most, the median of five rounds. Exits with 1 where it is 100 or more. With more
ranks than processors, the time in which a rank has none counts wherever it strikes.
"""

import sys
import time

import numpy
from mpi4py import MPI

import redblue
from redblue import matrices

COMM = MPI.COMM_WORLD


def last_plan():
    """The plan that was made last."""
    found = next(reversed(matrices._plans(COMM).kept.values()))
    return found[0] if isinstance(found, tuple) else found


def round_of(call, plan, calls):
    """Seconds of a call, and of those in the plan."""
    COMM.Barrier()
    inside, begin = plan.seconds, time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - begin) / calls, (plan.seconds - inside) / calls


def main(calls):
    n = 16
    rng = numpy.random.default_rng(1)
    a = rng.uniform(-1, 1, (n, n))
    s = redblue.Matrix.from_numpy(a @ a.T + n * numpy.eye(n), block=4)
    a, b = redblue.Matrix.from_numpy(a, block=4), redblue.Matrix.from_numpy(rng.uniform(-1, 1, (n, 1)), block=4)
    worst = 0.0
    for name, call in (("A @ B", lambda: a @ a), ("syrk(A)", lambda: redblue.syrk(a)),
                       ("cholesky(A)", lambda: redblue.cholesky(s)), ("solve(A, B)", lambda: redblue.solve(s, b))):
        matrices._plans(COMM).kept.clear()
        call()
        plan = last_plan()
        rounds = sorted((whole - inside, whole, inside) for whole, inside in (round_of(call, plan, calls) for _ in range(5)))
        between, whole, inside = (1e6 * x for x in max(COMM.allgather(rounds[2])))
        worst = max(worst, between)
        if COMM.rank == 0:
            print(f"{name:12} {n} x {n} on {COMM.size} ranks: {whole:8.1f} us, {inside:8.1f} us of them in C++, "
                  f"{between:6.1f} us beside", flush=True)
    return 1 if worst >= 100 else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300))
