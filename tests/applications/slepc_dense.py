# SPDX-License-Identifier: BSD-3-Clause
"""SLEPc's eigenvalues and singular values by ScaLAPACK."""
import numpy as np
from petsc4py import PETSc
from slepc4py import SLEPc

n = 240
comm = PETSc.COMM_WORLD


def dense(function):
    matrix = PETSc.Mat().createDense([n, n], comm=comm)
    matrix.setUp()
    first, last = matrix.getOwnershipRange()
    rows, columns = np.arange(first, last, dtype=np.int32), np.arange(n, dtype=np.int32)
    i, j = np.meshgrid(rows, columns, indexing="ij")
    matrix.setValues(rows, columns, function(i, j))
    matrix.assemble()
    return matrix


s = dense(lambda i, j: np.cos(1.0 * abs(i - j)) + (i == j) * (1.0 + i))
m = dense(lambda i, j: 0.1 * np.cos(1.0 * abs(i - j)) + (i == j) * 3.0)
eps = SLEPc.EPS().create(comm)
eps.setOperators(s, m)
eps.setProblemType(SLEPc.EPS.ProblemType.GHEP)
eps.setType("scalapack")
eps.solve()
PETSc.Sys.Print("eigenvalues", " ".join(f"{eps.getEigenvalue(i).real:.12e}" for i in range(3)))
svd = SLEPc.SVD().create(comm)
svd.setOperator(dense(lambda i, j: np.sin(1.0 + i + 2 * j) + (i == j) * 0.5))
svd.setType("scalapack")
svd.solve()
PETSc.Sys.Print("singular", " ".join(f"{svd.getValue(i):.12e}" for i in range(3)))
