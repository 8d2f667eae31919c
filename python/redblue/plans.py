# SPDX-License-Identifier: BSD-3-Clause
"""How ranks would share a kernel, and what that must move."""

from __future__ import annotations

from typing import Any, Dict, Optional

from . import _analysis
from .errors import error
from .pictures import table, words
from .sources import sizes_of


class Plan:
    """How ranks share a kernel; `redblue.plan` makes it."""

    def __init__(self, kernel: str, ranks: int, report: Dict[str, Any]):
        self.kernel, self.ranks = kernel, ranks
        self.decomposition: str = report["decomposition"]
        self.words: int = report["words_per_rank"]           #: received by the busiest rank
        self.mean_words: float = report["mean_words_per_rank"]
        self.messages: int = report["messages"]
        self.memory: int = report["memory_words"]
        self.seconds: float = report["predicted_seconds"]    #: messages, words and flops one after the other
        self.bound: float = report["lower_bound"]            #: words that the busiest rank receives at least
        self.alternatives = report["alternatives"]

    @property
    def ratio(self) -> Optional[float]:
        """Words / bound; None where nothing must move and something does."""
        if self.bound > 0:
            return self.words / self.bound
        return 1.0 if self.words == 0 else None

    def _repr_html_(self) -> str:
        rows = [(self.decomposition, words(self.words), f"{self.ratio:.3f}" if self.ratio else "")]
        rows += [(f"{a['name']}: {a['decomposition']}", words(a["words_per_rank"]), f"{a['ratio']:.3f}")
                 for a in self.alternatives]
        return table(("decomposition", "words per rank", "/ bound"), rows,
                     f"{self.kernel} on {self.ranks} ranks; at least {words(self.bound)} words")

    def __repr__(self) -> str:
        return (f"<redblue.Plan of {self.kernel} on {self.ranks} ranks: {self.decomposition}, {words(self.words)} words / "
                f"{words(self.bound)} needed>")


def plan(kernel: str, ranks: int, *, m: int = 0, n: int = 0, k: int = 0, memory: Optional[int] = None,
         objective: str = "words", machine: str = "", **sizes: int) -> Plan:
    """How `ranks` ranks would share "gemm" (m x k times k x n), "syrk", "syr2k", "symm" (n, k), "cholesky" (n), "lu"
    (m x n; m left out: square), "trsm" (order n, k right-hand sides) or an einsum ("ijk,jr->ikr", Ni=.., Nj=..).

    `memory`: words a rank may hold; `objective`: "words" or "seconds"; `machine`: the path of a machine file.

    >>> import redblue
    >>> redblue.plan("gemm", 8, m=512, n=512, k=512).decomposition
    'grid 2 x 2 x 2'
    """
    request = _analysis.PlanRequest()
    given = sizes_of({}, {"m": m or (n if kernel == "lu" else 0), "n": n, "k": k, "ranks": ranks})
    if objective not in ("words", "seconds"):
        raise error(f"objective={objective!r}", "nothing that plans are chosen by", "words or seconds")
    if not -2**31 <= given["ranks"] < 2**31:
        raise error(f"ranks={ranks}", "too many", "give fewer")
    request.m, request.n, request.k, request.ranks = (given[name] for name in ("m", "n", "k", "ranks"))
    request.memory, request.by_seconds, request.machine = memory, objective == "seconds", machine
    if "," in kernel or "->" in kernel or ":" in kernel:
        return Plan(kernel, ranks, _analysis.plan_einsum(kernel, sizes_of({}, sizes), request))
    if sizes:
        raise error(f"plan of {kernel}", f"no size {next(iter(sizes))}", "give m, n and k")
    return Plan(kernel, ranks, _analysis.plan(kernel, request))
