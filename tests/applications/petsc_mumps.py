# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's sparse LU by MUMPS: Poisson's equation on a cube, whose last front MUMPS factors with ScaLAPACK."""
from petsc4py import PETSc

n = 22
comm = PETSc.COMM_WORLD
a = PETSc.Mat().createAIJ([n**3, n**3], nnz=7, comm=comm)
first, last = a.getOwnershipRange()
for row in range(first, last):
    x, y, z = row // n**2, row // n % n, row % n
    a[row, row] = 6.0 + x / n
    for inside, other in ((x > 0, row - n * n), (x < n - 1, row + n * n), (y > 0, row - n), (y < n - 1, row + n),
                          (z > 0, row - 1), (z < n - 1, row + 1)):
        if inside:
            a[row, other] = -1.0
a.assemble()
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
    factor = ksp.getPC().getFactorMatrix()
    factor.setMumpsIcntl(13, 0)  # the root's front on ScaLAPACK
    factor.setMumpsIcntl(28, 1)
    ksp.solve(b, x)
    PETSc.Sys.Print(kind, f"{x.norm():.12e}")
