# SPDX-License-Identifier: BSD-3-Clause
"""Distributed matrices against numpy's, on the ranks this is started on.

    mpirun -n 7 python3 tests/python/matrices_ranks_test.py
"""

import sys
import unittest

import numpy
from mpi4py import MPI

import redblue
from redblue.matrices import Product

COMM = MPI.COMM_WORLD
TYPES = (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128)


def random(shape, dtype, seed):
    """The same on all ranks."""
    numbers = numpy.random.default_rng(seed)
    result = numbers.uniform(-1, 1, shape)
    if numpy.dtype(dtype).kind == "c":
        result = result + 1j * numbers.uniform(-1, 1, shape)
    return result.astype(dtype)


class Matrices(unittest.TestCase):
    def near(self, ours, theirs):
        scale = max(1.0, float(numpy.abs(theirs).max(initial=0)))
        eps = numpy.finfo(theirs.dtype).eps
        self.assertEqual(ours.shape, theirs.shape)
        self.assertLess(float(numpy.abs(ours - theirs).max(initial=0)), 2000 * eps * scale)

    def test_there_and_back(self):
        for dtype in TYPES:
            for shape in ((1, 1), (5, 3), (130, 67), (0, 4)):
                a = random(shape, dtype, 1)
                for block in (1, 8, (16, 5)):
                    self.assertTrue((redblue.Matrix.from_numpy(a, block=block).to_numpy() == a).all())
                mine = a if COMM.rank == COMM.size - 1 else None
                scattered = redblue.Matrix.from_numpy(mine, root=COMM.size - 1, block=8)
                self.assertTrue((scattered.to_numpy() == a).all())
                back = scattered.T.to_numpy(root=0)
                self.assertTrue(back is None if COMM.rank else (back == a.T).all())

    def test_products(self):
        for dtype in TYPES:
            a, b = random((90, 61), dtype, 1), random((61, 75), dtype, 2)
            ours = redblue.Matrix.from_numpy(a, block=8) @ redblue.Matrix.from_numpy(b, block=8)
            self.near(ours.to_numpy(), a @ b)
            self.near((redblue.Matrix.from_numpy(b, block=8).T @ redblue.Matrix.from_numpy(a, block=16).T).to_numpy(), b.T @ a.T)
            self.near((redblue.Matrix.from_numpy(a, block=8).H @ redblue.Matrix.from_numpy(a, block=8)).to_numpy(), a.conj().T @ a)

    def test_traffic(self):
        n = 64 * COMM.size
        a, b = (redblue.Matrix.from_numpy(random((n, n), float, s)) for s in (1, 2))
        traffic = (a @ b).traffic
        received, sent = COMM.allreduce(traffic.received), COMM.allreduce(traffic.sent)
        self.assertEqual(received, sent)
        self.assertGreaterEqual(traffic.busiest(), received / COMM.size)
        if COMM.size == 1:
            self.assertEqual((received, traffic.bound), (0, 0))
        else:
            self.assertGreater(traffic.bound, 0)
            self.assertGreater(traffic.ratio(), 0.9)

    def test_native_products(self):
        for dtype in TYPES:
            a, b = random((50, 41), dtype, 1), random((41, 33), dtype, 2)
            product = Product(50, 33, 41, dtype)
            c = product(product.a(a), product.b(b))
            self.near(c.to_numpy(), a @ b)
            self.assertGreaterEqual(c.traffic.busiest(), product.bound - 1)

    def test_updates(self):
        for dtype in TYPES:
            a = random((70, 30), dtype, 3)
            ours = redblue.Matrix.from_numpy(a, block=8)
            self.near(redblue.syrk(ours).to_numpy(), numpy.tril(a @ a.T))
            self.near(redblue.syrk(ours, hermitian=True).to_numpy(), numpy.tril(a @ a.conj().T))
            self.near(redblue.syrk(ours.T).to_numpy(), numpy.tril(a.T @ a))

    def test_cholesky(self):
        for dtype in TYPES:
            a = random((60, 60), dtype, 4)
            a = (a @ a.conj().T + 60 * numpy.eye(60)).astype(dtype)
            factor = redblue.cholesky(redblue.Matrix.from_numpy(a, block=8))
            self.near(factor.to_numpy(), numpy.linalg.cholesky(a))
            self.assertIn("factor", factor.traffic.phases)
        with self.assertRaisesRegex(redblue.Error, "leading minor of order 1 is not positive"):
            redblue.cholesky(redblue.Matrix.from_numpy(-numpy.eye(20), block=8))

    def test_qr(self):
        for dtype in TYPES:
            for shape, block in (((90, 61), 8), ((64, 64), (16, 5)), ((200, 3), 1), ((7, 7), 64), ((5, 0), 2)):
                a = random(shape, dtype, 3)
                q, r = (part.to_numpy() for part in redblue.qr(redblue.Matrix.from_numpy(a, block=block)))
                self.assertTrue((numpy.tril(r, -1) == 0).all())
                self.near(q @ r, a)
                self.near(q.conj().T @ q, numpy.eye(shape[1], dtype=dtype))
                # R is numpy's but for signs (phases) of its rows.
                self.near(numpy.abs(r), numpy.abs(numpy.linalg.qr(a)[1]))
        traffic = redblue.qr(redblue.Matrix.from_numpy(random((400, 40), float, 4), block=8)).traffic
        self.assertEqual(COMM.allreduce(traffic.received), COMM.allreduce(traffic.sent))
        self.assertLessEqual(traffic.bound, max(traffic.busiest(), 0))
        with self.assertRaisesRegex(redblue.Error, "more columns than rows"):
            redblue.qr(redblue.Matrix.from_numpy(random((3, 4), float, 5)))

    def test_lu(self):
        for dtype in TYPES:
            a = random((60, 60), dtype, 5)
            factors = redblue.lu(redblue.Matrix.from_numpy(a, block=8))
            self.near((factors.L @ factors.U).to_numpy(), a[factors.permutation()])
            b = random((60, 3), dtype, 6)
            self.near(a @ factors.solve(b).to_numpy(), b)
            other = redblue.lu(redblue.Matrix.from_numpy(a[::-1].copy(), block=8))  # pivots of its own
            self.near(a[::-1] @ other.solve(b).to_numpy(), b)
            self.near(a @ factors.solve(b).to_numpy(), b)

    def test_solve(self):
        for dtype in TYPES:
            a, b = random((80, 80), dtype, 7), random((80, 5), dtype, 8)
            matrix = redblue.Matrix.from_numpy(a, block=8)
            before = matrix.local.copy()
            x = redblue.solve(matrix, redblue.Matrix.from_numpy(b, block=8))
            self.near(a @ x.to_numpy(), b)
            self.assertTrue((matrix.local == before).all())
            self.near(a.T @ redblue.solve(matrix.T, b[:, 0]).to_numpy(), b[:, :1])
            s = (a @ a.conj().T + 80 * numpy.eye(80)).astype(dtype)
            self.near(s @ redblue.solve(redblue.Matrix.from_numpy(s, block=8), b, positive_definite=True).to_numpy(), b)
        x = redblue.solve(redblue.Matrix.from_numpy(a, block=8), b, mixed=True, refinements=10)
        self.near(a @ x.to_numpy(), b)
        with self.assertRaisesRegex(redblue.Error, "singular"):
            redblue.solve(redblue.Matrix.from_numpy(numpy.zeros((9, 9)), block=2), numpy.ones(9))

    def test_einsum(self):
        t, m, v = random((12, 9, 7), float, 1), random((9, 11), float, 2), random((7,), float, 3)
        matrix = redblue.Matrix.from_numpy(m, block=2)
        self.near(redblue.einsum("ijk,jr->ikr", t, matrix).to_numpy(), numpy.einsum("ijk,jr->ikr", t, m))
        self.near(redblue.einsum("ijk,jr,k->ir", t, matrix, v).to_numpy(), numpy.einsum("ijk,jr,k->ir", t, m, v))
        self.near(redblue.einsum("rj,js->rs", matrix.T, matrix).to_numpy(), m.T @ m)
        self.near(redblue.einsum("ij,ij->", matrix, matrix).to_numpy(), numpy.asarray(numpy.einsum("ij,ij->", m, m)))
        result = redblue.einsum("ij,jk->ik", t[:, :, 0], matrix)
        self.assertIsInstance(result, redblue.Matrix)
        self.assertGreaterEqual(result.traffic.bound, 0)

    def test_local_arrays_in_place(self):
        """scalapy's layout: ranks fill the grid row by row."""
        rows = redblue.Matrix.zeros((1, 1)).grid[0]
        grid = (rows, COMM.size // rows)
        a = random((50, 40), float, 9)
        place = COMM.rank // grid[1], COMM.rank % grid[1]
        mine = [[i for i in range(extent) if i // 8 % parts == at] for extent, parts, at in zip((50, 40), grid, place)]
        local = numpy.asfortranarray(a[numpy.ix_(*mine)])
        matrix = redblue.Matrix.from_local(local, (50, 40), block=8, order="row")
        self.assertTrue(numpy.shares_memory(matrix.local, local) or local.size == 0)
        self.assertTrue((matrix.to_numpy() == a).all())
        self.near((matrix.T @ matrix).to_numpy(), a.T @ a)
        self.near(redblue.einsum("ij,ik->jk", matrix, matrix).to_numpy(), a.T @ a)

    def test_errors_on_all_ranks(self):
        a = redblue.Matrix.from_numpy(numpy.ones((4, 5)))
        for wrong in (lambda: a @ a, lambda: redblue.cholesky(a), lambda: redblue.solve(a, numpy.ones(4)),
                      lambda: redblue.einsum("ij,jk->ik", a, a), lambda: redblue.Matrix.from_numpy(numpy.ones((2, 2), "U1")),
                      lambda: a @ redblue.Matrix.from_numpy(numpy.ones((5, 2), "f")),
                      lambda: redblue.Matrix.from_local(numpy.ones(0 if COMM.rank == 0 else 9), (2, 2))):
            with self.assertRaises(redblue.Error):
                wrong()

    def test_a_wrong_array_on_one_rank(self):
        """All ranks refuse it, the one that has it with the reason."""
        for call in (redblue.Matrix.to_numpy, redblue.cholesky, redblue.lu, redblue.qr, lambda m: m @ m, redblue.syrk):
            a = redblue.Matrix.from_numpy(numpy.eye(32), block=4)
            if COMM.rank == COMM.size // 2:
                a.local = numpy.zeros(2 * a.local.size)[::2] if call is redblue.Matrix.to_numpy else a.local[:-1]
            with self.assertRaises(redblue.Error):
                call(a)
            self.assertTrue((redblue.Matrix.from_numpy(numpy.eye(9), block=2).to_numpy() == numpy.eye(9)).all())

    def test_other_communicators(self):
        part = COMM.Split(COMM.rank % 2)
        a = random((30, 30), float, COMM.rank % 2)
        for _ in range(3):
            again = part.Dup()
            self.near((redblue.Matrix.from_numpy(a, comm=again, block=4) @ redblue.Matrix.from_numpy(a, comm=again, block=4))
                      .to_numpy(), a @ a)
            again.Free()
        part.Free()

    def test_many_plans(self):
        """More shapes than plans are kept."""
        for n in range(1, 70):
            a = numpy.full((n, n), 2.0)
            self.near((redblue.Matrix.from_numpy(a, block=4) @ redblue.Matrix.from_numpy(a, block=4)).to_numpy(), a @ a)


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2 if COMM.rank == 0 else 0)
    failed = COMM.allreduce(0 if program.result.wasSuccessful() else 1)
    sys.exit(1 if failed else 0)
