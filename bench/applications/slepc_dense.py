# SPDX-License-Identifier: BSD-3-Clause
"""SLEPc's singular values by ScaLAPACK."""
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


svd = SLEPc.SVD().create(comm)
svd.setOperator(dense(lambda i, j: np.sin(1.0 + i + 2 * j) + (i == j) * 0.5))
svd.setType("scalapack")
svd.solve()
PETSc.Sys.Print("singular", " ".join(f"{svd.getValue(i):.12e}" for i in range(3)))
