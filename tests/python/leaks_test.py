# SPDX-License-Identifier: BSD-3-Clause
"""10,000 calls need no more memory than 1,000, from one thread and from several; others run while an analysis does.

  leaks_test.py              the tests
  leaks_test.py --call N     the calls alone, N times each: for a leak checker (scripts/check-python-sanitized)
"""

import os
import resource
import signal
import sys
import threading
import time
import unittest

import numpy

import loops
import redblue
from redblue import _analysis

CALLS = 10_000


def resident():
    """Bytes."""
    with open("/proc/self/statm", encoding="ascii") as memory:
        return int(memory.read().split()[1]) * resource.getpagesize()


def wrong():
    try:
        _analysis.formula_text("2*+")
    except redblue.Error as error:
        assert error.found


def cases():
    """Calls, and how many of 10,000 are made of each."""
    kernel, data = redblue.kernel(loops.trisolv), loops.CASES["trisolv"][1](8)
    calls = {
        "formulas": (lambda: _analysis.formula_at("2*N^3/sqrt(S)", {"N": 10.0, "S": 16.0}), CALLS),
        "errors": (wrong, CALLS),
        "graphs": (lambda: redblue.pebble.graph("matmul:2,2,2").names, CALLS),
        "plans": (lambda: redblue.plan("gemm", 4, m=20, n=20, k=20), CALLS),
        "kernels": (lambda: kernel(*data), CALLS),
        "bounds": (lambda: redblue.bound("i,i->"), 200),
    }
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        return calls
    matrix = redblue.Matrix.from_numpy(numpy.eye(8))
    return calls | {"products": (lambda: matrix @ matrix, CALLS), "solves": (lambda: redblue.solve(matrix, matrix), 2000)}


class Leaks(unittest.TestCase):
    def flat(self, call, calls):
        for _ in range(calls // 10):
            call()
        before = resident()
        for _ in range(calls):
            call()
        grown = resident() - before
        self.assertLess(grown / calls, 200, "bytes a call")

    def test_calls(self):
        for name, (call, calls) in cases().items():
            if name != "bounds":
                with self.subTest(name):
                    self.flat(call, calls)

    def test_bounds(self):
        # isl and GiNaC keep tables: they grow at first
        call, calls = cases()["bounds"]
        for _ in range(50):
            call()
        before = resident()
        for _ in range(calls):
            call()
        self.assertLess((resident() - before) / calls, 20_000, "bytes a call")

    def test_wrong_kernels(self):
        kernel, data = redblue.kernel(loops.trisolv), loops.CASES["trisolv"][1](8)
        with self.assertRaises(redblue.Error):
            kernel(*data[:3], 9)


class Threads(unittest.TestCase):
    def test_several_threads(self):
        wanted = {text: redblue.bound(text).best.text for text in ("ij,jk->ik", "ij,j->i", "ijk,k->ij")}
        wrong = []

        def work():
            for text, formula in list(wanted.items()) * 5:
                if redblue.bound(text).best.text != formula:
                    wrong.append(text)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_others_run_meanwhile(self):
        done = threading.Event()
        worker = threading.Thread(target=lambda: (redblue.tile("ij,jk->ik", Ni=60, Nj=60, Nk=60, S=64, effort=5), done.set()))
        begin, longest, last = time.perf_counter(), 0.0, time.perf_counter()
        worker.start()
        ticks = 0
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            longest, last, ticks = max(longest, now - last), now, ticks + 1
        worker.join()
        self.assertGreater(ticks, 20)
        self.assertLess(longest, max(1.0, 0.7 * (time.perf_counter() - begin)))

    def test_interrupted(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start jobs with it ignored
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.perf_counter()
        with self.assertRaises(KeyboardInterrupt):
            redblue.tile("ij,jk->ik", Ni=150, Nj=150, Nk=150, S=64, effort=1000)
        self.assertLess(time.perf_counter() - begin, 30)
        self.assertEqual(str(redblue.bound("ij,jk->ik").best.leading), "2*Ni*Nj*Nk/sqrt(S)")  # the lock was given back


if __name__ == "__main__":
    if sys.argv[1:2] == ["--call"]:
        for each, of_ten_thousand in cases().values():
            for _ in range(max(1, int(sys.argv[2]) * of_ten_thousand // CALLS)):
                each()
    else:
        unittest.main()
