# SPDX-License-Identifier: BSD-3-Clause
"""Tiled schedules and what programs move."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Optional

from . import _analysis
from .errors import error
from .pictures import table, words
from .sources import Analysable, Sizes, request, sizes_of, source_of


@dataclass(frozen=True)
class MemoryTraffic:
    """Words that move between a slow and a fast memory."""

    loads: int
    stores: int

    @property
    def moved(self) -> int:
        return self.loads + self.stores


def _traffic(j: Optional[Dict[str, Any]]) -> Optional[MemoryTraffic]:
    return MemoryTraffic(j["loads"], j["stores"]) if j else None


@dataclass(frozen=True)
class Replays:
    """One order on a fast memory of S words."""

    belady: Optional[MemoryTraffic]  #: explicit loads and stores, the fewest known
    lru: Optional[MemoryTraffic]     #: a fully associative cache
    tiles: Optional[MemoryTraffic]   #: tile by tile, with `tile_words`
    tile_words: Optional[int]


def _replays(j: Dict[str, Any]) -> Replays:
    return Replays(_traffic(j["belady"]), _traffic(j["lru"]), _traffic(j["tiles"]), j["tile_words"])


class Schedule:
    """A legal tiled order of a program, what it moves, its C; `redblue.tile` makes it."""

    def __init__(self, report: Dict[str, Any]):
        self._report = report
        self.program: str = report["program"]
        self.vertices: int = report["vertices"]
        self.bands: List[Dict[str, Any]] = report["bands"]   #: loops that are tiled, and their tiles
        self.storage: List[str] = report["storage"]         #: arrays whose values need storage of their own
        self.reordered: List[str] = report["reordered"]     #: updates in another order, which changes no bit
        self.own = _replays(report["own"])                  #: the program as written
        self.tiled = _replays(report["tiled"])              #: as scheduled
        self.predicted = _traffic(report["predicted"])      #: through a cache, where it is not walked through
        self.bound: float = report["bound"]                 #: words that any order moves
        self.moved: Optional[int] = report["gap"]["upper"]  #: the least known, of both orders
        self.gap: Optional[float] = report["gap"]["ratio"]  #: moved / bound
        self._code: str = report["code"]

    @property
    def code(self) -> str:
        """The schedule as C. Raises Error where it cannot be written, with the reason."""
        if not self._code:
            raise error(f"C for {self.program}", self._report["no_code"] or "there is none")
        return self._code

    def to_dict(self) -> Dict[str, Any]:
        """What `redblue tile --json` prints, the code beside it."""
        return self._report

    def _repr_html_(self) -> str:
        def row(name: str, t: Optional[MemoryTraffic]) -> Any:
            return (name, words(t.loads), words(t.stores), words(t.moved), f"{t.moved / self.bound:.3f}" if self.bound else "")
        rows = [row(name, t) for name, t in (
            ("as written, Belady", self.own.belady), ("as written, LRU", self.own.lru),
            ("as scheduled, Belady", self.tiled.belady), ("as scheduled, LRU", self.tiled.lru),
            ("as scheduled, tile by tile", self.tiled.tiles), ("as scheduled, LRU, predicted", self.predicted)) if t]
        rows.append(("any order, at least", "", "", words(self.bound), ""))
        return table(("order", "loads", "stores", "words", "/ bound"), rows, f"Schedule of {self.program}")

    def __repr__(self) -> str:
        gap = f"{words(self.moved)} moved / {words(self.bound)} needed = {self.gap:.3f}" if self.gap else "gap not known"
        return f"<redblue.Schedule of {self.program}: {gap}>"


def tile(source: Analysable, sizes: Optional[Sizes] = None, *, function: str = "", cache: str = "belady",
         effort: Optional[float] = None, blas: bool = False, flags: Iterable[str] = (), scratch: Iterable[str] = (),
         outputs: Iterable[str] = (), **more: int) -> Schedule:
    """The cheapest legal tiled schedule found, with sizes for all parameters and S.

    `cache`: what tile sizes are chosen for, "belady" (explicit loads and stores) or "lru" (a cache). `effort`: millions of
    vertices the search may replay, some 5 a second; None: 100, for a cache 15. `blas`: tiles that are operations of BLAS call it.

    >>> import redblue
    >>> redblue.tile("ij,jk->ik", Ni=20, Nj=20, Nk=20, S=64, effort=1).gap < 2
    True
    """
    with request(source_of(source, function), sizes_of(sizes, more), flags=flags, scratch=scratch, outputs=outputs) as r:
        return Schedule(json.loads(_analysis.tile(r, cache, effort, blas)))


def replay(source: Analysable, sizes: Optional[Sizes] = None, *, function: str = "", flags: Iterable[str] = (),
           scratch: Iterable[str] = (), outputs: Iterable[str] = (), **more: int) -> Replays:
    """What a program as written moves through S words.

    >>> import redblue
    >>> redblue.replay("ij,jk->ik", Ni=20, Nj=20, Nk=20, S=64).belady.stores
    778
    """
    with request(source_of(source, function), sizes_of(sizes, more), flags=flags, scratch=scratch, outputs=outputs) as r:
        return _replays(json.loads(_analysis.replay(r)))
