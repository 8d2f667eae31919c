# SPDX-License-Identifier: BSD-3-Clause
"""GPAW, orbitals of atoms as a basis: ScaLAPACK diagonalises."""
from ase.build import molecule
from gpaw import GPAW, PoissonSolver
from gpaw.mpi import world

atoms = molecule("C6H6", vacuum=3.0)
calculator = GPAW(mode="lcao", basis="dzp", h=0.25, xc="PBE", poissonsolver=PoissonSolver(eps=1e-12), txt="gpaw.log",
                  convergence={"density": 1e-6},
                  parallel={"sl_default": (2, world.size // 2, 16), "domain": world.size})
atoms.calc = calculator
energy = atoms.get_potential_energy()
if world.rank == 0:
    print(f"energy {energy:.12e}")
