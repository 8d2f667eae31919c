# SPDX-License-Identifier: BSD-3-Clause
"""Lower bounds on data movement, from source."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import sympy

from . import _analysis
from .formulas import at, latex, to_sympy
from .pictures import Picture, table, words
from .sources import Analysable, Sizes, Source, request, sizes_of, source_of


@dataclass(frozen=True)
class Condition:
    """A side condition of a bound: in plain words, and whether it is proved or assumed."""

    condition: str
    status: str

    @property
    def proved(self) -> bool:
        return self.status == "proved"


@dataclass(frozen=True)
class Statement:
    """A statement of the program: what it writes and reads, and how many instances it has."""

    name: str
    text: str
    line: int
    count: sympy.Expr
    count_holds_for: str


@dataclass(frozen=True)
class FinalValues:
    """What becomes of an array's final values, and why redblue takes it so."""

    array: str
    output: bool
    elements: str
    why: str


@dataclass(frozen=True)
class LowerBound:
    """One lower bound on the words that are loaded and stored."""

    method: str                 #: "projection", "hourglass", "wavefront", ..
    statement: Optional[str]    #: the statement it counts; None: the whole program
    text: str                   #: the formula as the command prints it
    leading_text: str
    holds_for: str              #: the sizes for which the formula is a bound; empty: all
    holds_where: Tuple[Tuple[str, str, str], ...]
    value: Optional[float]      #: at the sizes given
    recomputation: bool         #: whether it holds where values may be computed again
    ledger: Tuple[Condition, ...]
    intensity_text: Optional[str] = None
    segment_text: Optional[str] = None
    tiles_text: Dict[str, str] = field(default_factory=dict)
    busiest_text: Optional[str] = None
    busiest_value: Optional[float] = None
    busiest_provided: str = ""  #: what `busiest` takes for granted about the run

    @property
    def formula(self) -> sympy.Expr:
        """All terms."""
        return to_sympy(self.text)

    @property
    def leading(self) -> sympy.Expr:
        """The leading term for large parameters, S fixed."""
        return to_sympy(self.leading_text)

    @property
    def intensity(self) -> Optional[sympy.Expr]:
        """Vertices computed per word moved, at best."""
        return to_sympy(self.intensity_text) if self.intensity_text else None

    @property
    def tiles(self) -> Dict[str, sympy.Expr]:
        """Loop -> the tile size at which the bound's segments are largest."""
        return {loop: to_sympy(size) for loop, size in self.tiles_text.items()}

    @property
    def busiest(self) -> Optional[sympy.Expr]:
        """Words that the busiest of p processors receives or sends, however large its memory."""
        return to_sympy(self.busiest_text) if self.busiest_text else None

    @property
    def assumptions(self) -> List[str]:
        """What is assumed and not proved; empty for proved bounds."""
        return [c.condition for c in self.ledger if not c.proved]

    @property
    def proved(self) -> bool:
        return not self.assumptions

    def at(self, **sizes: float) -> float:
        """The formula's number at these sizes, S among them; whether it is a bound there, `holds_for` says."""
        return at(self.text, sizes)

    def _repr_latex_(self) -> str:
        return f"$Q \\ge {latex(self.text)}$"

    def __str__(self) -> str:
        on = f" on {self.statement}" if self.statement else ""
        once = "" if self.recomputation else ", each value computed once"
        return f"Q >= {self.text}   for {self.holds_for or 'all sizes'}   ({self.method}{on}{once})"


def _lower_bound(j: Dict[str, Any]) -> LowerBound:
    busiest = j.get("busiest") or {}
    return LowerBound(
        method=j["method"], statement=j["statement"], text=j["expression"], leading_text=j["leading"],
        holds_for=j["holds_for"], holds_where=tuple((c["left"], c["relation"], c["right"]) for c in j["holds_where"]),
        value=j["value"], recomputation=j["recomputation"],
        ledger=tuple(Condition(c["condition"], c["status"]) for c in j["ledger"]), intensity_text=j["intensity"],
        segment_text=j["segment"], tiles_text=j["tiles"], busiest_text=busiest.get("expression"),
        busiest_value=busiest.get("value"), busiest_provided=busiest.get("provided", ""))


def _index(report: Dict[str, Any], which: str) -> int:
    """Which of the bounds the summary under `which` is of."""
    wanted = report[which]
    return next(i for i, b in enumerate(report["bounds"]) if all(b[key] == wanted[key] for key in wanted)
                and (which == "best_assumed" or all(c["status"] == "proved" for c in b["ledger"])))


@dataclass(frozen=True)
class MemoryPiece:
    """Fast memories of `first` to `last` words (None: and more), for which one bound is the strongest."""

    first: int
    last: Optional[int]
    text: str
    method: str
    holds_for: str
    value_first: Optional[float]
    value_last: float

    @property
    def formula(self) -> sympy.Expr:
        return to_sympy(self.text)


class Bound:
    """What redblue proves of a program; `redblue.bound` makes it."""

    def __init__(self, source: Source, sizes: Dict[str, int], options: Dict[str, Any], report: Dict[str, Any]):
        self._source, self._options, self._report = source, options, report
        self.sizes = sizes                                        #: that were given
        self.program: str = report["program"]
        self.parameters: List[str] = report["parameters"]        #: names that sizes are for, S left out
        self.least_s: int = report["least_s"]                    #: words without which nothing is computed
        self.outputs: List[str] = report["outputs"]
        self.dead: List[str] = report["dead"]                    #: written, and no final value of them is an output
        self.hints: List[str] = report["hints"]
        self.bounds: List[LowerBound] = [_lower_bound(b) for b in report["bounds"]]
        self.best: LowerBound = self.bounds[_index(report, "best")]                  #: strongest with nothing assumed
        self.best_assumed: LowerBound = self.bounds[_index(report, "best_assumed")]  #: strongest of all
        self.gave_up: List[Dict[str, str]] = report["gave_up"]
        #: why processors may receive nothing: loops whose counters tell parts apart that read nothing in common
        self.separate_parts: List[Dict[str, Any]] = report["separate_parts"]

    @property
    def formula(self) -> sympy.Expr:
        """The best bound's formula."""
        return self.best.formula

    @property
    def value(self) -> Optional[float]:
        """The best bound at the sizes given, in words; None where some are missing."""
        return self.best.value

    @property
    def ledger(self) -> Tuple[Condition, ...]:
        """What the best bound rests on."""
        return self.best.ledger

    @property
    def statements(self) -> List[Statement]:
        return [Statement(s["name"], s["text"], s["line"], to_sympy(s["count"]), s["count_holds_for"])
                for s in self._report["statements"]]

    @property
    def final_values(self) -> List[FinalValues]:
        return [FinalValues(**f) for f in self._report["final_values"]]

    def at(self, sizes: Optional[Sizes] = None, **more: int) -> "Bound":
        """The same program at other sizes: those given before, changed by these."""
        return bound(self._source, {**self.sizes, **sizes_of(sizes, more)}, **self._options)

    def explain(self, statement: str = "", *, assumed: bool = False, markdown: bool = False) -> str:
        """The derivation of the best bound, or of a statement's, as a person would write it."""
        return explain(self._source, self.sizes, statement=statement, assumed=assumed, markdown=markdown, **self._options)

    def by_memory(self) -> List[MemoryPiece]:
        """The strongest bound piece by piece in S, at the sizes given."""
        sizes = {name: size for name, size in self.sizes.items() if name != "S"}
        with request(self._source, sizes, **self._options) as r:
            pieces = json.loads(_analysis.by_memory(r))
        return [MemoryPiece(p["from"], p["to"], p["bound"]["expression"], p["bound"]["method"], p["bound"]["holds_for"],
                            p["value_from"], p["value_to"]) for p in pieces]

    def curves(self, memories: Optional[Sequence[int]] = None) -> Picture:
        """All methods' bounds over S, and the operations per word they allow, at the sizes given."""
        if memories is None:
            first = max(8, self.least_s)
            memories = sorted({round(first * 2 ** (i / 2)) for i in range(40)})
        with request(self._source, self.sizes, **self._options) as r:
            return Picture(_analysis.curves(r, list(memories)))

    def graph(self) -> Picture:
        """Which statements read what from which, and what the bounds count."""
        with request(self._source, self.sizes, **self._options) as r:
            return Picture(_analysis.graph(r))

    def to_dict(self) -> Dict[str, Any]:
        """What `redblue bound --json` prints."""
        return self._report

    def _repr_html_(self) -> str:
        rows = [(("best: " if b is self.best else "") + b.method, b.statement or "", f"${latex(b.text)}$",
                 b.holds_for or "all sizes", words(b.value) if b.value is not None else "",
                 "; ".join(b.assumptions) or "nothing") for b in self.bounds]
        rows.sort(key=lambda row: not row[0].startswith("best"))
        return table(("method", "statement", "Q >=", "for", "words", "assumed"), rows,
                     f"Lower bounds of {self.program}: loads + stores of a fast memory of S words")

    def __str__(self) -> str:
        value = f" = {words(self.value)} words" if self.value is not None else ""
        return f"{self.program}: {self.best}{value}"

    def __repr__(self) -> str:
        return f"<redblue.Bound of {self}>"


def bound(source: Analysable, sizes: Optional[Sizes] = None, *, function: str = "", flags: Iterable[str] = (),
          small: Iterable[str] = (), assume: Union[str, Iterable[str]] = (), scratch: Iterable[str] = (),
          outputs: Iterable[str] = (), processors: int = 1, **more: int) -> Bound:
    """Lower bounds on the words that any execution moves between a fast memory of S words and a slow one.

    `source` is a path of a C, C++ or Python file, a source text, a Python function of loops, or an Einstein summation.
    `sizes`, and other named arguments, give parameters and S; all, some or none. `small`: parameters that stay small while
    others grow; `assume`: what is known of them ("M >= N"); `scratch`, `outputs`: arrays whose final values nothing reads,
    or that are all read; `processors`: fast memories that share the work; `function`, `flags`: of files. Raises
    redblue.Error, with the words of the command, for what cannot be read and for sizes that do not fit.

    >>> import redblue
    >>> gemm = redblue.bound("ij,jk->ik", {"Ni": 100, "Nj": 100, "Nk": 100, "S": 256})
    >>> gemm.best.leading
    2*Ni*Nj*Nk/sqrt(S)
    >>> gemm.best.proved
    True
    """
    if isinstance(source, Bound):
        source = source._source
    read = source_of(source, function)
    given = sizes_of(sizes, more)
    options = dict(flags=tuple(flags), small=tuple(small), assume=assume if isinstance(assume, str) else tuple(assume),
                   scratch=tuple(scratch), outputs=tuple(outputs), processors=processors)
    with request(read, given, **options) as r:
        return Bound(read, given, options, json.loads(_analysis.bound(r)))


def explain(source: Analysable, sizes: Optional[Sizes] = None, *, statement: str = "", assumed: bool = False,
            markdown: bool = False, function: str = "", **options: Any) -> str:
    """The derivation of a bound: the argument, what a segment needs, the inequality, the best X, the conditions.

    >>> import redblue
    >>> print(redblue.explain("ij,jk->ik").splitlines()[0])
    How little einsum can move
    """
    named = {key: options.pop(key) for key in ("flags", "small", "assume", "scratch", "outputs", "processors") if key in options}
    with request(source_of(source, function), sizes_of(sizes, options), **named) as r:
        return _analysis.explain(r, statement, assumed, markdown)
