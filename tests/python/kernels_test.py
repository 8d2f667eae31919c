# SPDX-License-Identifier: BSD-3-Clause
"""@redblue.kernel against the interpreter: the same bits, and clear errors."""

import math
import os
import stat
import tempfile
import unittest

import numpy

import loops
import redblue


def refused(test, words, function, *arguments):
    """That making or calling the kernel raises redblue.Error with these words."""
    with test.assertRaisesRegex(redblue.Error, words):
        redblue.kernel(function)(*arguments)


class TenKernels(unittest.TestCase):
    def test_same_bits(self):
        for name, (function, data, _) in loops.CASES.items():
            with self.subTest(name):
                kernel = redblue.kernel(function)
                for n in (33, 16, 5):  # the order is chosen for the first, and right for all
                    ours, theirs = data(n), data(n)
                    kernel(*ours)
                    function(*theirs)
                    for a, b in zip(ours, theirs):
                        self.assertEqual(numpy.asarray(a).tobytes(), numpy.asarray(b).tobytes())
                kernel(*data(12), check=True)

    def test_bound_and_traffic(self):
        for name, (function, _, sizes) in loops.CASES.items():
            with self.subTest(name):
                kernel = redblue.kernel(function)
                given = {**sizes(16), "S": 40}
                bound, moved = kernel.bound(given), kernel.traffic(given)
                self.assertTrue(bound.best.proved)
                self.assertGreater(bound.value, 0)
                self.assertLessEqual(bound.value, moved.belady.moved)

    def test_schedule(self):
        schedule = redblue.kernel(loops.syrk).schedule(n=20, k=20, S=64, effort=1)
        self.assertLess(schedule.moved, schedule.own.belady.moved)
        self.assertGreaterEqual(schedule.gap, 1)
        self.assertIn("void syrk(", schedule.code)


class Values(unittest.TestCase):
    def test_returned_and_whole_numbers(self):
        @redblue.kernel(check=True)
        def dot(x, y):
            s = 0.0
            for i in range(len(x)):
                s += x[i] * y[i]
            return s
        x = numpy.arange(1.0, 8.0)
        self.assertEqual(dot(x, x), 140.0)

        @redblue.kernel(check=True)
        def fractions(x, n):
            for i in range(n):
                x[i] = i / n + i * 1000000 * i + 1 / 3
        fractions(numpy.zeros(3000), 3000)

        @redblue.kernel(check=True)
        def fraction_first(x, n):
            x[0] = 7 / n
            for i in range(1, n):
                x[i] = x[i - 1] if i % 2 == 0 else x[i - 1] / 2
        fraction_first(numpy.zeros(9), 9)

    def test_arrays_made_inside(self):
        @redblue.kernel(check=True)
        def smoothed(x, n):
            t = numpy.zeros(n)
            for i in range(1, n - 1):
                t[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
            for i in range(1, n - 1):
                x[i] = t[i]
        smoothed(numpy.random.default_rng(1).random(3_000_000)[:1_000_000], 50)
        smoothed(numpy.ones(2_000_000), 2_000_000 // 1000)

        @redblue.kernel
        def large(x, n):  # 16 MB would not fit on the stack
            t = numpy.zeros((n, n))
            for i in range(n):
                for j in range(n):
                    t[i, j] = x[i] + x[j]
            for i in range(n):
                x[i] = t[n - 1 - i, i]
        x = numpy.arange(1400.0)
        large(x, 1400)
        self.assertTrue((x == 1399).all())

    def test_functions(self):
        @redblue.kernel(check=True)
        def mathematics(x, y, n):
            for i in range(n):
                y[i] = math.exp(-x[i]) + math.sqrt(x[i]) * math.sin(x[i]) + x[i] ** 2 + x[i] ** 0.3 - abs(math.log(x[i]))
        x = numpy.random.default_rng(3).uniform(0.1, 9, 5000)
        mathematics(x, numpy.zeros(5000), 5000)

    def test_nothing_to_do(self):
        kernel = redblue.kernel(loops.lu)
        kernel(numpy.zeros((0, 0)), 0)
        a = numpy.full((1, 1), 3.0)
        kernel(a, 1, check=True)

    def test_attributes_of_the_function(self):
        kernel = redblue.kernel(loops.lu)
        self.assertEqual(kernel.__name__, "lu")
        with self.assertRaisesRegex(redblue.Error, "not compiled yet"):
            kernel.code
        kernel.compile(n=100)
        self.assertIn("redblue_kernel", kernel.code)
        self.assertIn("changed", kernel.order)


class Refused(unittest.TestCase):
    def test_arguments(self):
        a = numpy.ones((8, 8))
        for words, array in (("no numpy array", a.tolist()), ("float32", a.astype("f")), ("int64", a.astype(int)),
                             ("3 dimensions", numpy.ones((2, 2, 2))), ("not contiguous", a.T[::2]),
                             (">f8", a.astype(">f8")), ("not contiguous", numpy.asfortranarray(numpy.random.rand(8, 8)))):
            refused(self, words, loops.lu, array, 8)
        refused(self, r"8 x 8 elements, of which it uses subscripts 0 to 8", loops.lu, a, 9)
        refused(self, "no whole number", loops.lu, a, 8.5)
        refused(self, "no size", loops.lu, a, -1)
        refused(self, "share memory", loops.syrk, a, a, 8, 8)
        a.flags.writeable = False
        refused(self, "read-only", loops.lu, a, 8)
        with self.assertRaises(TypeError):
            redblue.kernel(loops.lu)(a)

    def test_reading_outside(self):
        def before(x, n):
            for i in range(n):
                x[i] = x[i - 1]
        refused(self, "subscripts -1 to 8", before, numpy.ones(9), 9)

    def test_sources(self):
        def product(A, B, C):
            C[:] = A @ B
        refused(self, "order of its own", product)

        def remainder(x, n):
            for i in range(n):
                x[i] = x[i] % 3
        refused(self, "rounds? otherwise", remainder)

        def truncated(x, n):
            for i in range(n):
                x[i] = int(x[i])
        refused(self, "not kept in C", truncated)

        def waiting(x, n):
            while x[0] < n:
                x[0] += 1
        refused(self, r"kernels_test.py:\d+: a while loop", waiting)

        def outer(x):
            for i in range(LIMIT):
                x[i] = 0
        refused(self, "'LIMIT' is no argument", outer)
        with self.assertRaises(redblue.Error):
            redblue.kernel(len)
        with self.assertRaises(redblue.Error):
            redblue.kernel(lambda x: x)

    def test_other_bits_are_told(self):
        def copy(x, y, n):
            for i in range(n):
                y[i] = x[i]
        kernel = redblue.kernel(copy)
        kernel.python = lambda x, y, n: y.fill(3)
        with self.assertRaisesRegex(redblue.Error, r"y\[0\]: 1.0, and 3.0 in Python"):
            kernel(numpy.ones(4), numpy.zeros(4), 4, check=True)


class Cache(unittest.TestCase):
    def test_kept_and_safe(self):
        with tempfile.TemporaryDirectory() as folder:
            before = os.environ.get("REDBLUE_CACHE_DIR")
            os.environ["REDBLUE_CACHE_DIR"] = folder
            try:
                first = redblue.kernel(loops.trisolv).compile(n=10)
                made = os.stat(first.library)
                self.assertEqual(stat.S_IMODE(made.st_mode), 0o700)
                self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(first.library)).st_mode), 0o700)
                again = redblue.kernel(loops.trisolv).compile(n=10)
                self.assertEqual(os.stat(again.library).st_mtime_ns, made.st_mtime_ns)
                os.chmod(first.library, 0o722)  # somebody else may have written there
                third = redblue.kernel(loops.trisolv).compile(n=10)
                self.assertNotEqual(os.stat(third.library).st_mtime_ns, made.st_mtime_ns)
                os.chmod(os.path.dirname(first.library), 0o777)
                with self.assertRaisesRegex(redblue.Error, "others may write"):
                    redblue.kernel(loops.trisolv).compile(n=11)
            finally:
                if before is None:
                    del os.environ["REDBLUE_CACHE_DIR"]
                else:
                    os.environ["REDBLUE_CACHE_DIR"] = before


if __name__ == "__main__":
    unittest.main()
