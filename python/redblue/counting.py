# SPDX-License-Identifier: BSD-3-Clause
"""How often loops run, work and depth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Optional

import sympy

from . import _analysis
from .bounds import Condition
from .errors import error
from .formulas import to_sympy
from .pictures import table
from .sources import Analysable, Sizes, sizes_of, source_of


@dataclass(frozen=True)
class Count:
    """How often something runs: exactly `lower` = `upper`, or between the two."""

    lower_text: str
    upper_text: str
    exact: bool
    lower_value: Optional[int]
    upper_value: Optional[int]

    @property
    def formula(self) -> Optional[sympy.Expr]:
        """Where it is exact."""
        return to_sympy(self.lower_text) if self.exact and self.lower_text else None

    @property
    def value(self) -> Optional[int]:
        return self.lower_value if self.exact else None

    def __str__(self) -> str:
        return self.lower_text if self.exact else f"{self.lower_text} .. {self.upper_text}"


def _count(j: Dict[str, Any]) -> Count:
    def number(name: str) -> Optional[int]:
        return int(j[name]) if name in j else None
    if j["exact"]:
        return Count(j["count"], j["count"], True, number("value"), number("value"))
    return Count(j["lower"], j["upper"], False, number("lower_value"), number("upper_value"))


@dataclass(frozen=True)
class Loop:
    function: str
    file: str
    line: int
    name: str
    count: Count


class Counts:
    """How often the loops of a program run; `redblue.count` makes it."""

    def __init__(self, report: Dict[str, Any]):
        self._report = report
        self.program: str = report["program"]
        self.parameters: List[str] = report["parameters"]
        self.loops = [Loop(p["function"], p["file"], p["line"], p["name"], _count(p)) for p in report["loops"]]
        self.total = _count(report["total"])    #: iterations of innermost loops, of the most loaded process
        self.work = _count(report["work"])      #: the same with one process
        self.depth: Optional[str] = report["depth"]              #: None: the program runs alone
        self.efficiency: Optional[str] = report["efficiency"]
        self.parallelism: Optional[str] = report["parallelism"]
        self.operations = {kind: {of: _count(c) for of, c in by_type.items()}
                           for kind, by_type in report["operations"].items()}
        self.ledger = [Condition(c["condition"], c["status"]) for c in report["ledger"]]

    def to_dict(self) -> Dict[str, Any]:
        """What `redblue count --json` prints."""
        return self._report

    def _repr_html_(self) -> str:
        return table(("function", "line", "loop", "runs"), [(p.function, p.line, p.name, p.count) for p in self.loops],
                     f"How often the loops of {self.program} run")

    def __repr__(self) -> str:
        return f"<redblue.Counts of {self.program}: {self.total}>"


def count(source: Analysable, sizes: Optional[Sizes] = None, *, function: str = "", flags: Iterable[str] = (),
          assume: Iterable[str] = (), **more: int) -> Counts:
    """How often every loop of a C, C++ or Fortran program, or of LLVM IR, runs; its operations, work and depth.

    >>> import redblue
    >>> redblue.count("void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }").total.formula
    n
    """
    read = source_of(source, function)
    if read.einsum or read.suffix == ".py" and read.text or read.file.endswith(".py"):
        raise error(f"count of {read.label}", "it is no program of C, C++ or Fortran", "give one")
    with read.on_disk() as path:
        request = _analysis.CountRequest()
        request.file, request.function, request.flags = path, read.function, list(flags)
        request.assumptions = [assume] if isinstance(assume, str) else list(assume)
        request.sizes = sizes_of(sizes, more)
        return Counts(json.loads(_analysis.count(request)))
