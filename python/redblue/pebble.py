# SPDX-License-Identifier: BSD-3-Clause
"""Computational DAGs and the pebble games on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from . import _analysis
from .errors import error
from .sources import Analysable, Sizes, request, sizes_of, source_of


@dataclass(frozen=True)
class Optimum:
    """The cheapest pebbling: between `lower` and `upper` words, equal where it is proved."""

    lower: int
    upper: int
    proved: bool
    loads: int
    stores: int
    moves: List[Tuple[str, str, str]]  #: rule, vertex and, where it accumulates, the operand


@dataclass(frozen=True)
class GraphSchedule:
    """The cheapest schedule found: an order of the computed vertices, and what it moves."""

    loads: int
    stores: int
    how: str
    order: List[str]

    @property
    def moved(self) -> int:
        return self.loads + self.stores


class Graph:
    """A computational DAG: every vertex is a value, computed from its operands or an input.

    >>> import redblue
    >>> graph = redblue.pebble.graph("matmul:2,2,2")
    >>> len(graph), graph.optimum(5).upper
    (16, 14)
    """

    def __init__(self, graph: "_analysis.Graph"):
        self._graph = graph

    def __len__(self) -> int:
        return len(self._graph)

    @property
    def edges(self) -> int:
        return self._graph.edges()

    @property
    def least_words(self) -> int:
        """Words of fast memory without which some vertex cannot be computed."""
        return self._graph.most_operands() + 1

    @property
    def names(self) -> List[str]:
        return self._graph.names()

    def to_networkx(self) -> Any:
        """A networkx.DiGraph with an edge from every operand to its reader; vertices have the attributes `input` and
        `output`."""
        import networkx
        names, inputs, outputs = self._graph.names(), self._graph.inputs(), self._graph.outputs()
        result = networkx.DiGraph()
        result.add_nodes_from((name, {"input": i, "output": o}) for name, i, o in zip(names, inputs, outputs))
        for name, operands in zip(names, self._graph.operands()):
            result.add_edges_from((names[v], name) for v in operands)
        return result

    @staticmethod
    def from_networkx(graph: Any) -> "Graph":
        """The DAG of a networkx.DiGraph, edges from operands to readers. Vertices are inputs and outputs as their
        attributes say; without these, sources are inputs and sinks are outputs. Raises Error for a cycle, and for two
        vertices whose names are the same text."""
        import networkx
        try:
            order = list(networkx.topological_sort(graph))
        except networkx.NetworkXUnfeasible:
            cycle = " -> ".join(str(u) for u, _ in networkx.find_cycle(graph))
            raise error("a graph from networkx", f"a cycle, {cycle}", "computations have none") from None
        except networkx.NetworkXError:
            raise error("a graph from networkx", "its edges have no direction", "give a DiGraph") from None
        number = {vertex: i for i, vertex in enumerate(order)}
        names = [str(vertex) for vertex in order]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise error("a graph from networkx", f"two vertices called {twice}", "give each a text of its own")
        operands = [sorted({number[u] for u in graph.predecessors(v)}) for v in order]
        inputs = [bool(graph.nodes[v].get("input", graph.in_degree(v) == 0)) for v in order]
        outputs = [bool(graph.nodes[v].get("output", graph.out_degree(v) == 0 and not i)) for v, i in zip(order, inputs)]
        return Graph(_analysis.graph_of(names, operands, inputs, outputs))

    def optimum(self, s: int, *, recompute: bool = False, partial: bool = False, seconds: float = 60) -> Optimum:
        """The cheapest pebbling with s words, proved where the search ends in time; graphs of at most 64 vertices."""
        found = self._graph.optimum(s, recompute, partial, seconds)
        return Optimum(found.lower, found.upper, found.proved, found.loads, found.stores, found.moves)

    def schedule(self, s: int, *, seconds: float = 2) -> GraphSchedule:
        """The cheapest schedule found with s words, of a graph of any size."""
        found = self._graph.schedule(s, seconds)
        return GraphSchedule(found.loads, found.stores, found.how, found.order)

    def bound(self, s: int, *, recompute: bool = False) -> Tuple[int, str]:
        """Words that every pebbling with s words moves at least, and by which argument."""
        return self._graph.bound(s, recompute)

    def wavefront(self) -> Tuple[str, int]:
        """A vertex, and how many values are alive at least when it has been computed."""
        return self._graph.wavefront()

    def dot(self) -> str:
        """Graphviz text."""
        return self._graph.dot()

    def _repr_svg_(self) -> Optional[str]:
        return self._graph.svg() if len(self) <= 1000 else None

    def __repr__(self) -> str:
        return f"<redblue.pebble.Graph of {len(self)} vertices and {self.edges} edges>"


def graph(source: Analysable, sizes: Optional[Sizes] = None, *, function: str = "", **more: int) -> Graph:
    """A graph by description ("matmul:2,2,2", "fft:8", a .dot, .edges or .hdag file), or of a program (a C or Python file, a
    source text, a function, an einsum) at sizes of all its parameters.

    >>> import redblue
    >>> redblue.pebble.graph("ij,jk->ik", Ni=2, Nj=2, Nk=2)
    <redblue.pebble.Graph of 20 vertices and 24 edges>
    """
    given: Dict[str, int] = sizes_of(sizes, more)
    if isinstance(source, str) and not given and "\n" not in source and not source.endswith((".c", ".py", ".cpp")):
        return Graph(_analysis.make_graph(source))
    with request(source_of(source, function), given) as r:
        return Graph(_analysis.source_graph(r))


def from_networkx(graph: Any) -> Graph:
    """Graph.from_networkx."""
    return Graph.from_networkx(graph)
