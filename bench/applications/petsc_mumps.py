# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's sparse LU and Cholesky by MUMPS. Chains hang on unknowns that are all coupled: MUMPS factors the front of these, the last one,
with ScaLAPACK."""
import numpy as np
from petsc4py import PETSc

coupled, links = 1200, 3
n = coupled * links
comm = PETSc.COMM_WORLD
a = PETSc.Mat().createAIJ([n, n], nnz=coupled + links, comm=comm)
first, last = a.getOwnershipRange()
for row in range(first, last):
    chain, link = row // links, row % links
    if link > 0:
        a[row, row - 1] = -1.0
    if link < links - 1:
        a[row, row + 1] = -1.0
    if link == 0:
        others = np.arange(0, n, links, dtype=np.int32)
        a.setValues([row], others, np.cos(1.0 * abs(others // links - chain)))
    a[row, row] = 1.0 * n
a.assemble()
a.setOption(PETSc.Mat.Option.SPD, True)
b = a.createVecLeft()
b.set(1.0)
for kind in ("lu", "cholesky"):
    x = a.createVecRight()
    ksp = PETSc.KSP().create(comm)
    ksp.setOperators(a)
    ksp.setType("preonly")
    ksp.getPC().setType(kind)
    ksp.getPC().setFactorSolverType("mumps")
    ksp.getPC().setFactorSetUpSolverType()
    ksp.getPC().getFactorMatrix().setMumpsIcntl(13, 0)  # the last front in parallel
    ksp.solve(b, x)
    PETSc.Sys.Print(kind, f"{x.norm():.12e}")
