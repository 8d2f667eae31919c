# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's dense matrices on ScaLAPACK: a product, LU and Cholesky solves."""
import numpy as np
from petsc4py import PETSc

n = 600
comm = PETSc.COMM_WORLD


def dense(function):
    matrix = PETSc.Mat().create(comm)
    matrix.setSizes([n, n])
    matrix.setType("scalapack")
    matrix.setUp()
    rows, columns = (x.getIndices() for x in matrix.getOwnershipIS())
    i, j = np.meshgrid(rows, columns, indexing="ij")
    matrix.setValues(rows, columns, function(i, j))
    matrix.assemble()
    return matrix


a = dense(lambda i, j: np.sin(1.0 + i + 2 * j) + (i == j) * n)
s = dense(lambda i, j: np.cos(1.0 * abs(i - j)) + (i == j) * n)
print_ = PETSc.Sys.Print
print_("product", f"{a.matMult(s).norm():.12e}")
for name, matrix, kind in (("lu", a, "lu"), ("cholesky", s, "cholesky")):
    b = matrix.createVecLeft()
    b.set(1.0)
    x = matrix.createVecRight()
    ksp = PETSc.KSP().create(comm)
    ksp.setOperators(matrix)
    ksp.setType("preonly")
    ksp.getPC().setType(kind)
    ksp.getPC().setFactorSolverType("scalapack")
    ksp.solve(b, x)
    print_(name, f"{x.norm():.12e}")
