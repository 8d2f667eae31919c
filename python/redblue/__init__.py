# SPDX-License-Identifier: BSD-3-Clause
"""Lower bounds on data movement, schedules that come close, kernels compiled in their order, distributed matrices.

    import redblue
    redblue.bound("ij,jk->ik", S=1024)          # what any execution must move
    redblue.tile("kernel.c", NI=100, S=256)     # a schedule that moves little
    @redblue.kernel                             # loops over numpy arrays, compiled
    redblue.Matrix                              # distributed arrays on mpi4py

Everything is computed by redblue's C++ libraries; what is wrong with a request is a redblue.Error.
"""

from typing import TYPE_CHECKING, Any

from . import pebble
from ._analysis import version as __version__
from .bounds import Bound, Condition, LowerBound, bound, explain
from .counting import Count, Counts, count
from .errors import Error
from .kernels import Kernel, kernel
from .pictures import Picture
from .plans import Plan, plan
from .schedules import MemoryTraffic, Replays, Schedule, replay, tile

if TYPE_CHECKING:
    from .matrices import Matrix, Traffic, cholesky, einsum, lu, qr, solve, syrk

__all__ = ["Bound", "Condition", "Count", "Counts", "Error", "Kernel", "LowerBound", "Matrix", "MemoryTraffic", "Picture",
           "Plan", "Replays", "Schedule", "Traffic", "__version__", "bound", "cholesky", "count", "einsum", "explain", "kernel",
           "lu", "pebble", "plan", "qr", "replay", "solve", "syrk", "tile"]

_PARALLEL = ("Matrix", "Traffic", "cholesky", "einsum", "lu", "qr", "solve", "syrk")


def __getattr__(name: str) -> Any:
    # MPI starts when mpi4py is imported, so that only programs that name these start it.
    if name in _PARALLEL:
        from . import matrices
        return getattr(matrices, name)
    raise AttributeError(f"module 'redblue' has no attribute '{name}'")
