# SPDX-License-Identifier: BSD-3-Clause
"""Distributed matrices on mpi4py's communicators.

All calls are collective over the matrices' communicator, and raise redblue.Error on all ranks together or on none.
"""

from __future__ import annotations

import atexit
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

import numpy
from mpi4py import MPI

from . import _linalg
from .errors import Error, error

_TYPES = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}
_MOST_PLANS = 64  # of a communicator


def _letter(dtype: Any) -> str:
    letter = _TYPES.get(numpy.dtype(dtype).name)
    if letter is None:
        raise error(f"a matrix of {numpy.dtype(dtype)}", "no such elements", "float32, float64, complex64 or complex128")
    return letter


class _Plans:
    """What was planned on a communicator, the oldest forgotten first: alike on all ranks, as calls are."""

    def __init__(self, comm: MPI.Comm):
        self.address = MPI._addressof(comm)
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.kept: "OrderedDict[Any, Any]" = OrderedDict()
        self.places: Dict[Any, Any] = {}

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        found = self.kept.get(key)
        if found is None:
            found = self.kept[key] = make()
            if len(self.kept) > _MOST_PLANS:
                self.kept.popitem(last=False)
        return found


_of_communicator = MPI.Comm.Create_keyval()
_all_plans: List[_Plans] = []


def _plans(comm: MPI.Comm) -> _Plans:
    plans = comm.Get_attr(_of_communicator)
    if plans is None:
        plans = _Plans(comm)
        comm.Set_attr(_of_communicator, plans)
        _all_plans.append(plans)
    return plans


@atexit.register
def _forget_plans() -> None:
    if not MPI.Is_finalized():
        for plans in _all_plans:
            plans.kept.clear()


@dataclass(frozen=True)
class Traffic:
    """What one call moved on this rank, and what the busiest rank must receive at least."""

    phases: Dict[str, Tuple[int, int, int, int]]  #: words received, words sent, messages received, messages sent
    bound: float             #: words that the busiest rank receives at least, in any schedule of
    bound_holds_for: str     #: such ranks
    plan: str                #: how the ranks share the work
    comm: MPI.Comm

    @property
    def received(self) -> int:
        """Words, of all phases."""
        return sum(p[0] for p in self.phases.values())

    @property
    def sent(self) -> int:
        return sum(p[1] for p in self.phases.values())

    @property
    def messages(self) -> int:
        """Received."""
        return sum(p[2] for p in self.phases.values())

    def busiest(self) -> int:
        """Words received by the rank that receives most. Collective."""
        return int(self.comm.allreduce(self.received, op=MPI.MAX))

    def ratio(self) -> Optional[float]:
        """busiest() / bound; None where the bound is 0 and something was moved. Collective."""
        moved = self.busiest()
        return moved / self.bound if self.bound > 0 else (1.0 if moved == 0 else None)


def _traffic(run: Any, comm: MPI.Comm) -> Traffic:
    return Traffic(run.phases(), run.bound, run.bound_holds_for, run.name(), comm)


@dataclass(frozen=True)
class _Place:
    """A block-cyclic layout: its key, and what the library has for it."""

    key: Tuple[Any, ...]  # rows, columns, row_block, column_block, grid_rows, grid_columns, order of ranks
    layout: Any
    words: int


def _place(comm: MPI.Comm, rows: int, columns: int, block: Tuple[int, int], grid: Tuple[int, int], order: str) -> _Place:
    plans = _plans(comm)
    key = (rows, columns, *block, *grid, order)
    found = plans.places.get(key)
    if found is None:
        grid_rows, grid_columns = grid
        if grid_rows * grid_columns > plans.size or min(grid) < 1:
            raise error(f"a {grid_rows} x {grid_columns} grid", f"{plans.size} ranks", "give one of as many places at most")
        if order == "column":
            ranks = [c * grid_rows + r for r in range(grid_rows) for c in range(grid_columns)]
        elif order == "row":
            ranks = list(range(grid_rows * grid_columns))
        else:
            raise error(f"order={order!r}", "no order of ranks", "column or row")
        layout = _linalg.cyclic(rows, columns, *block, grid_rows, grid_columns, ranks, plans.rank)
        found = _Place(key, layout, layout.words(plans.rank))
        if len(plans.places) > 1000:
            plans.places.clear()
        plans.places[key] = found
    return found


def _pair(value: Union[int, Tuple[int, int]]) -> Tuple[int, int]:
    return (value, value) if isinstance(value, int) else (int(value[0]), int(value[1]))


def _grid(comm: MPI.Comm, grid: Optional[Tuple[int, int]]) -> Tuple[int, int]:
    if grid is not None:
        return int(grid[0]), int(grid[1])
    rows = _linalg.squarest_grid_rows(comm.Get_size())
    return rows, comm.Get_size() // rows


class Matrix:
    """A matrix dealt out over the ranks of an mpi4py communicator in blocks, as ScaLAPACK has it.

    `local` is this rank's part, a numpy array of one dimension: its rows and columns, column after column. `A @ B`, `A.T`,
    `A.H`, `syrk`, `cholesky`, `lu`, `qr`, `solve`, `einsum` work on matrices; what they return has `traffic`: what the call moved,
    beside what must move.

        A = redblue.Matrix.from_numpy(a)        # each rank has all of a, and takes its part
        C = A @ B
        C.traffic.received, C.traffic.bound
        c = C.to_numpy()
    """

    __slots__ = ("comm", "local", "traffic", "_place", "_op")

    def __init__(self, comm: MPI.Comm, place: _Place, local: numpy.ndarray, traffic: Optional[Traffic] = None, op: str = "N"):
        self.comm, self.local, self.traffic, self._place, self._op = comm, local, traffic, place, op

    # ------------------------------------------------------------------ made

    @staticmethod
    def from_local(local: numpy.ndarray, shape: Tuple[int, int], *, comm: Optional[MPI.Comm] = None,
                   block: Union[int, Tuple[int, int]] = 64, grid: Optional[Tuple[int, int]] = None,
                   order: str = "column") -> "Matrix":
        """A matrix that lies on the ranks already, without a copy: `local` as ScaLAPACK (and scalapy) has it, a Fortran array
        of this rank's rows and columns, or its words in a row. `order`: whether ranks fill the grid column by column or row
        by row."""
        comm = comm or MPI.COMM_WORLD
        place = _place(comm, int(shape[0]), int(shape[1]), _pair(block), _grid(comm, grid), order)
        found = "" if isinstance(local, numpy.ndarray) and numpy.dtype(local.dtype).name in _TYPES else "no array of numbers"
        if not found and local.ndim == 2 and not local.flags.f_contiguous:
            found = "not contiguous in Fortran's order"
        if not found and local.size < place.words:
            found = f"{local.size} words"
        _all_or_none(comm, "a local array", found, f"give a Fortran array of {place.words} words")
        return Matrix(comm, place, local.reshape(-1, order="F"))

    @staticmethod
    def zeros(shape: Tuple[int, int], dtype: Any = numpy.float64, *, comm: Optional[MPI.Comm] = None,
              block: Union[int, Tuple[int, int]] = 64, grid: Optional[Tuple[int, int]] = None) -> "Matrix":
        comm = comm or MPI.COMM_WORLD
        _letter(dtype)
        place = _place(comm, int(shape[0]), int(shape[1]), _pair(block), _grid(comm, grid), "column")
        return Matrix(comm, place, numpy.zeros(place.words, dtype))

    @staticmethod
    def from_numpy(array: Any, *, comm: Optional[MPI.Comm] = None, block: Union[int, Tuple[int, int]] = 64,
                   grid: Optional[Tuple[int, int]] = None, root: Optional[int] = None) -> "Matrix":
        """Of a numpy array: each rank has all of it and takes its part (nothing moves), or rank `root` alone has it. An array
        of one dimension is a column."""
        comm = comm or MPI.COMM_WORLD
        array = None if root is not None and comm.Get_rank() != root else numpy.asarray(array)
        if array is not None and array.ndim == 1:
            array = array.reshape(-1, 1)
        if array is not None and array.dtype.kind in "iub":
            array = array.astype(numpy.float64)
        about = (array.shape, array.dtype) if array is not None else None
        shape, dtype = about if root is None else comm.bcast(about, root=root)  # type: ignore[misc]
        letter = _letter(dtype)
        if len(shape) != 2:
            raise error("a matrix of an array", f"{len(shape)} dimensions", "give 1 or 2")
        place = _place(comm, shape[0], shape[1], _pair(block), _grid(comm, grid), "column")
        result = Matrix(comm, place, numpy.zeros(place.words, dtype))
        if root is None:
            _linalg.take(place.layout, comm.Get_rank(), array, result.local)
            return result
        whole = _linalg.whole(shape[0], shape[1], root)
        run = _plans(comm).get(("scatter", letter, place.key, root), lambda: _linalg.redistribution(
            _plans(comm).address, letter, "N", whole, place.layout))
        mine = numpy.zeros(0, dtype) if array is None else numpy.asfortranarray(array).reshape(-1, order="F")
        run.execute(1, 0, [mine, result.local])
        result.traffic = _traffic(run, comm)
        return result

    # ------------------------------------------------------------------ read

    @property
    def shape(self) -> Tuple[int, int]:
        rows, columns = self._place.key[:2]
        return (rows, columns) if self._op == "N" else (columns, rows)

    @property
    def dtype(self) -> numpy.dtype:
        return self.local.dtype

    @property
    def block(self) -> Tuple[int, int]:
        return self._place.key[2:4]

    @property
    def grid(self) -> Tuple[int, int]:
        return self._place.key[4:6]

    @property
    def T(self) -> "Matrix":
        """Its transpose; nothing is copied."""
        if self._op == "C":
            raise error("the transpose of A.H", "no such view", "give A.conj() a name first")
        return Matrix(self.comm, self._place, self.local, None, "T" if self._op == "N" else "N")

    @property
    def H(self) -> "Matrix":
        """Its conjugate transpose; nothing is copied."""
        if self.dtype.kind == "f":
            return self.T
        if self._op == "T":
            raise error("the conjugate transpose of A.T", "no such view", "give A.conj() a name first")
        return Matrix(self.comm, self._place, self.local, None, "C" if self._op == "N" else "N")

    def conj(self) -> "Matrix":
        """The conjugate of every element."""
        return Matrix(self.comm, self._place, self.local.conj(), None, self._op)

    def copy(self) -> "Matrix":
        """A copy; of a transposed view one in which elements lie as they are numbered."""
        if self._op == "N":
            return Matrix(self.comm, self._place, self.local.copy(), self.traffic)
        return self.to_layout()

    def to_layout(self, block: Optional[Union[int, Tuple[int, int]]] = None, grid: Optional[Tuple[int, int]] = None,
                  order: str = "column") -> "Matrix":
        """The matrix in other blocks, or on another grid; each element is sent at most once."""
        rows, columns = self.shape
        place = _place(self.comm, rows, columns, _pair(block) if block else self.block, grid or self.grid, order)
        letter = _letter(self.dtype)
        run = _plans(self.comm).get(("move", letter, self._op, self._place.key, place.key), lambda: _linalg.redistribution(
            _plans(self.comm).address, letter, self._op, self._place.layout, place.layout))
        result = Matrix(self.comm, place, numpy.zeros(place.words, self.dtype))
        run.execute(1, 0, [self.local, result.local])
        result.traffic = _traffic(run, self.comm)
        return result

    def to_numpy(self, root: Optional[int] = None) -> Optional[numpy.ndarray]:
        """All of it as a numpy array on every rank, or on rank `root` alone (None elsewhere)."""
        rows, columns = self.shape
        at = root or 0
        letter = _letter(self.dtype)
        plans = _plans(self.comm)
        whole = _linalg.whole(rows, columns, at)
        run = plans.get(("gather", letter, self._op, self._place.key, at), lambda: _linalg.redistribution(
            plans.address, letter, self._op, self._place.layout, whole))
        here = plans.rank == at
        words = numpy.zeros(rows * columns if here or root is None else 0, self.dtype)
        run.execute(1, 0, [self.local, words])
        if root is None:
            for begin in range(0, words.size, 1 << 26):
                self.comm.Bcast(words[begin:begin + (1 << 26)], root=at)
        return words.reshape((rows, columns), order="F") if here or root is None else None

    def __repr__(self) -> str:
        rows, columns = self.shape
        return (f"<redblue.Matrix of {rows} x {columns} {self.dtype}, blocks of {self.block[0]} x {self.block[1]} on a "
                f"{self.grid[0]} x {self.grid[1]} grid>")

    # ------------------------------------------------------------------ computed

    def __matmul__(self, other: "Matrix") -> "Matrix":
        """The product, by the plan that moves least among those redblue knows."""
        if not isinstance(other, Matrix):
            return NotImplemented
        key = ("gemm", self.local.dtype.char, self._op, self._place.key, other.local.dtype.char, other._op, other._place.key)
        plans = _plans(self.comm)
        found = plans.kept.get(key)
        if found is None or self.comm is not other.comm:
            _check_together(self, other)
            found = plans.get(key, lambda: self._planned_product(other))
        run, place = found
        result = numpy.empty(place.words, self.local.dtype)
        run.execute(1, 0, [self.local, other.local, result])
        return Matrix(self.comm, place, result, _traffic(run, self.comm))

    def _planned_product(self, other: "Matrix") -> Tuple[Any, _Place]:
        if self.shape[1] != other.shape[0]:
            raise error(f"a product of {self.shape[0]} x {self.shape[1]} and {other.shape[0]} x {other.shape[1]}",
                        "their sizes do not fit", "as many columns as rows")
        block = (self.block[0] if self._op == "N" else self.block[1], other.block[1] if other._op == "N" else other.block[0])
        place = _place(self.comm, self.shape[0], other.shape[1], block, self.grid, self._place.key[6])
        return _linalg.gemm(_plans(self.comm).address, _letter(self.dtype), self._op, self._place.layout, other._op,
                            other._place.layout, place.layout, None), place


def _all_or_none(comm: MPI.Comm, asked: str, found: str, remedy: str) -> None:
    """Raises Error on all ranks where one found something wrong."""
    wrong = [f for f in comm.allgather(found) if f]
    if wrong:
        raise error(asked, found or wrong[0] + " on another rank", remedy)


def _check_together(a: Matrix, b: Matrix) -> None:
    if a.comm is not b.comm and MPI.Comm.Compare(a.comm, b.comm) != MPI.IDENT:
        raise error("matrices on two communicators", "redblue works on one", "give both the same")
    if a.dtype != b.dtype:
        raise error(f"matrices of {a.dtype} and {b.dtype}", "two types", "give both the same")


def _stored(a: Matrix) -> Matrix:
    """As it is numbered: a copy of transposed views."""
    return a if a._op == "N" else a.copy()


def syrk(a: Matrix, *, hermitian: bool = False) -> Matrix:
    """The lower triangle of A A^T (A A^H where hermitian); above the diagonal are zeros."""
    if a._op == "C" or (a._op == "T" and hermitian and a.dtype.kind == "c"):
        a = a.copy()
    letter, plans = _letter(a.dtype), _plans(a.comm)
    n, block = a.shape[0], a.block[0 if a._op == "N" else 1]
    place = _place(a.comm, n, n, (block, block), a.grid, a._place.key[6])
    run = plans.get(("syrk", letter, hermitian, a._op, a._place.key), lambda: _linalg.syrk(
        plans.address, letter, hermitian, a._op, a._place.layout, place.layout, None))
    result = numpy.zeros(place.words, a.dtype)
    run.execute(1, 0, [a.local, result])
    return Matrix(a.comm, place, result, _traffic(run, a.comm))


def cholesky(a: Matrix) -> Matrix:
    """L with A = L L^H, of a symmetric (Hermitian) positive definite matrix, of which the lower triangle is read."""
    a = _stored(a)
    letter, plans = _letter(a.dtype), _plans(a.comm)
    run = plans.get(("cholesky", letter, a._place.key), lambda: _linalg.cholesky(plans.address, letter, a._place.layout))
    result = a.local.copy()
    info = run.execute(1, 0, [result])
    if info != 0:
        raise error("cholesky", f"the leading minor of order {info} is not positive", "give a positive definite matrix")
    _linalg.clear(a._place.layout, plans.rank, result, True, False)
    return Matrix(a.comm, a._place, result, _traffic(run, a.comm))


class LU:
    """P A = L U: `factors` has both, `pivots` the exchanges of rows (row i with row pivots[i], in turn, from 0)."""

    def __init__(self, factors: Matrix, pivots: List[int]):
        self.factors, self.pivots, self.traffic = factors, pivots, factors.traffic

    @property
    def L(self) -> Matrix:
        """Ones on its diagonal; of a square A."""
        return self._part(True)

    @property
    def U(self) -> Matrix:
        return self._part(False)

    def _part(self, lower: bool) -> Matrix:
        if self.factors.shape[0] != self.factors.shape[1]:
            raise error("L or U of a matrix that is not square", "no such part yet", "read `factors`")
        result = self.factors.copy()
        _linalg.clear(result._place.layout, result.comm.Get_rank(), result.local, lower, lower)
        return result

    def permutation(self) -> numpy.ndarray:
        """p with A[p] = L U."""
        rows = numpy.arange(self.factors.shape[0])
        for i, pivot in enumerate(self.pivots):
            rows[[i, pivot]] = rows[[pivot, i]]
        return rows

    def solve(self, b: Any) -> Matrix:
        """X with A X = B."""
        return _solved(self.factors, self.pivots, b)


def _right_hand_side(a: Matrix, b: Any) -> Matrix:
    if not isinstance(b, Matrix):
        b = Matrix.from_numpy(numpy.asarray(b, dtype=a.dtype), comm=a.comm, block=a.block, grid=a.grid)
    _check_together(a, b)
    if a.shape[0] != a.shape[1] or a.shape[0] != b.shape[0]:
        raise error(f"a solve with A of {a.shape[0]} x {a.shape[1]} and B of {b.shape[0]} x {b.shape[1]}",
                    "their sizes do not fit", "A is square and has as many rows as B")
    return b.copy()


def _solved(factors: Matrix, pivots: Optional[List[int]], b: Any) -> Matrix:
    x = _right_hand_side(factors, b)
    # the pivots belong to the plan: one solve is not like another
    run = _linalg.factor_solve(_plans(x.comm).address, _letter(x.dtype), factors._place.layout, x._place.layout, pivots)
    run.execute(1, 0, [factors.local, x.local])
    x.traffic = _traffic(run, x.comm)
    return x


def lu(a: Matrix) -> LU:
    """P A = L U by tournament pivoting. A zero pivot is not an error here; `solve` with it gives infinities."""
    a = _stored(a)
    letter, plans = _letter(a.dtype), _plans(a.comm)
    run = plans.get(("lu", letter, a._place.key), lambda: _linalg.lu(plans.address, letter, a._place.layout))
    result = a.local.copy()
    run.execute(1, 0, [result])
    return LU(Matrix(a.comm, a._place, result, _traffic(run, a.comm)), list(run.pivots()))


class QR:
    """A = Q R: Q (m x n) has orthonormal columns, R (n x n) is upper triangular. `traffic`: of both."""

    def __init__(self, q: Matrix, r: Matrix):
        self.Q, self.R, self.traffic = q, r, q.traffic

    def __iter__(self) -> Iterator[Matrix]:
        return iter((self.Q, self.R))


def qr(a: Matrix) -> QR:
    """A = Q R by Householder's reflections, of a matrix with at least as many rows as columns: `q, r = redblue.qr(A)`."""
    a = _stored(a)
    rows, columns = a.shape
    if rows < columns:
        raise error(f"qr of {rows} x {columns}", "more columns than rows", "factor its transpose")
    letter, plans = _letter(a.dtype), _plans(a.comm)
    run = plans.get(("qr", letter, a._place.key), lambda: _linalg.qr(plans.address, letter, a._place.layout))
    q, whole = a.local.copy(), numpy.zeros(a._place.words, a.dtype)
    run.execute(1, 0, [q, whole])
    _linalg.clear(a._place.layout, plans.rank, whole, False, False)
    place = _place(a.comm, columns, columns, a.block, a.grid, a._place.key[6])
    r = _first_rows(whole, a._place.words, place.words, (rows, columns), a, plans.rank)
    return QR(Matrix(a.comm, a._place, q, _traffic(run, a.comm)), Matrix(a.comm, place, r))


def _first_rows(local: numpy.ndarray, words: int, wanted: int, shape: Tuple[int, int], a: Matrix, rank: int) -> numpy.ndarray:
    """Of this rank's part of a matrix like `a` its part of the square at the top."""
    row = rank % a.grid[0] if a._place.key[6] == "column" else rank // a.grid[1]
    here = [sum(min(a.block[0], n - begin) for begin in range(row * a.block[0], n, a.grid[0] * a.block[0])) for n in shape]
    result = numpy.zeros(wanted, local.dtype)
    if words > 0 and here[1] > 0:  # a rank without rows has words all the same: its leading dimension is 1
        result[:] = local.reshape((here[0], -1), order="F")[:here[1]].reshape(-1, order="F")
    return result


def solve(a: Matrix, b: Any, *, positive_definite: bool = False, refinements: int = 0, mixed: bool = False) -> Matrix:
    """X with A X = B, by LU (or, positive definite, Cholesky) factorization; A and B stay as they are.

    B: a Matrix, or a numpy array that every rank has. `refinements`: steps of iterative refinement at most; `mixed`: factor in
    the precision below, refine to this one. Raises Error for a singular A.
    """
    a = _stored(a)
    x = _right_hand_side(a, b)
    letter, plans = _letter(a.dtype), _plans(a.comm)
    key = ("solve", letter, positive_definite, a._place.key, x._place.key, refinements, mixed)
    run = plans.get(key, lambda: _linalg.solve(plans.address, letter, positive_definite, a._place.layout, x._place.layout,
                                               refinements, mixed))
    info = run.execute(1, 0, [a.local.copy(), x.local])
    if info != 0:
        what = f"the leading minor of order {info} is not positive" if positive_definite else f"pivot {info} is 0"
        raise error("solve", f"A is singular: {what}" if not positive_definite else what, "give another A")
    x.traffic = _traffic(run, a.comm)
    return x


class Tensor:
    """What an einsum returns that is no matrix: its elements on the ranks that computed them."""

    def __init__(self, comm: MPI.Comm, shape: Tuple[int, ...], elements: numpy.ndarray, places: numpy.ndarray,
                 local: numpy.ndarray, traffic: Traffic):
        self.comm, self.shape, self.local, self.traffic = comm, shape, local, traffic
        self._elements, self._places = elements, places

    def to_numpy(self) -> numpy.ndarray:
        """All of it, on every rank."""
        whole = numpy.zeros(int(numpy.prod(self.shape, dtype=numpy.int64)), self.local.dtype)
        whole[self._elements] = self.local[self._places]
        self.comm.Allreduce(MPI.IN_PLACE, whole)
        return whole.reshape(self.shape)


def _letters(text: str, operands: int) -> Tuple[List[str], str]:
    text = "".join(text.split())
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if any(not (t.isalpha() or t == "") for t in terms + [right]) or len(terms) != operands:
        raise error(f"einsum {text}", f"{operands} operands", "give one for each of its terms, letters alone: ij,jk->ik")
    if not arrow:
        right = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    return terms, right


def einsum(text: str, *operands: Any, comm: Optional[MPI.Comm] = None) -> Union[Matrix, Tensor]:
    """A summation of matrices and of numpy arrays that every rank has: "ijk,jr,kr->ir". A result of two letters is a Matrix,
    any other a Tensor."""
    matrices = [x for x in operands if isinstance(x, Matrix)]
    comm = comm or (matrices[0].comm if matrices else MPI.COMM_WORLD)
    terms, result = _letters(text, len(operands))
    dtype = matrices[0].dtype if matrices else numpy.result_type(*operands, numpy.float32)
    sizes: Dict[str, int] = {}
    spelled, layouts, arrays, keys = [], [], [], []
    for term, operand in zip(terms, operands):
        shape = operand.shape if isinstance(operand, Matrix) else numpy.shape(operand)
        if len(shape) != len(term):
            raise error(f"einsum {text}", f"{term} for an array of {len(shape)} dimensions", "give each a letter")
        for letter, size in zip(term, shape):
            if sizes.setdefault("N" + letter, int(size)) != size:
                raise error(f"einsum {text}", f"{letter} is {sizes['N' + letter]} and {size}", "one extent for a letter")
        if isinstance(operand, Matrix):
            _check_together(operand, matrices[0])
            if operand._op == "C" or operand._place.key[6] != "column":
                operand = operand.to_layout()
            stored = term if operand._op == "N" else term[::-1]
            spelled.append(stored[::-1])  # column-major: the first letter runs fastest
            layouts.append((list(operand.grid[::-1]), list(operand.block[::-1])))
            arrays.append(operand.local)
            keys.append(operand._place.key)
        else:
            spelled.append(term)
            layouts.append(None)
            arrays.append(numpy.ascontiguousarray(operand, dtype))
            keys.append(None)
    return _summed(comm, ",".join(spelled), result, sizes, layouts, arrays, keys, dtype)


def _summed(comm: MPI.Comm, terms: str, result: str, sizes: Dict[str, int], layouts: List[Any], arrays: List[numpy.ndarray],
            keys: List[Any], dtype: Any) -> Union[Matrix, Tensor]:
    plans, letter = _plans(comm), _letter(dtype)
    place = None
    layouts = list(layouts)
    missing = [c for c in result if "N" + c not in sizes]
    if missing:
        raise error(f"einsum {terms}->{result}", f"{missing[0]} stands in no operand", "leave it out of the result")
    if len(result) == 2 and result[0] != result[1]:
        place = _place(comm, sizes["N" + result[0]], sizes["N" + result[1]], (64, 64), _grid(comm, None), "column")
        layouts.append((list(place.key[4:6][::-1]), [64, 64]))
        spelled = f"{terms}->{result[::-1]}"
    else:
        layouts.append(None)
        spelled = f"{terms}->{result}"

    def make() -> Any:
        run = _linalg.einsum(plans.address, letter, spelled, sizes, layouts)
        return run, [_linalg.owned_places(run, t) if given is None else None for t, given in enumerate(layouts)]
    run, owned = plans.get(("einsum", letter, spelled, tuple(sorted(sizes.items())), tuple(keys)), make)
    local = []
    for t, array in enumerate(arrays):
        if owned[t] is not None:
            elements, places = owned[t]
            mine = numpy.zeros(run.words[t], dtype)
            mine[places] = array.reshape(-1)[elements]
            array = mine
        local.append(array)
    out = numpy.zeros(max(run.words[-1], place.words if place else 0), dtype)
    run.execute(1, 0, local + [out])
    traffic = _traffic(run, comm)
    if place is not None:
        return Matrix(comm, place, out, traffic)
    shape = tuple(sizes["N" + c] for c in result)
    return Tensor(comm, shape, owned[-1][0], owned[-1][1], out, traffic)


class NativeMatrix:
    """A factor or the result of a Product, where redblue wants it."""

    def __init__(self, product: "Product", operand: int, local: numpy.ndarray, traffic: Optional[Traffic] = None):
        self.product, self.operand, self.local, self.traffic = product, operand, local, traffic

    def to_numpy(self) -> numpy.ndarray:
        """All of it, on every rank."""
        rows, columns, places = self.product._elements(self.operand)
        whole = numpy.zeros(self.product.shapes[self.operand], self.local.dtype)
        whole[rows, columns] = self.local[places]
        self.product.comm.Allreduce(MPI.IN_PLACE, whole)
        return whole


class Product:
    """C (m x n) = A (m x k) B (k x n) in redblue's own layouts, which move the least: every element has one owner.

        product = redblue.matrices.Product(m, n, k)
        c = product(product.a(a), product.b(b))
    """

    def __init__(self, m: int, n: int, k: int, dtype: Any = numpy.float64, *, comm: Optional[MPI.Comm] = None,
                 memory: Optional[int] = None):
        self.comm = comm or MPI.COMM_WORLD
        self.dtype = numpy.dtype(dtype)
        self.shapes = ((m, k), (k, n), (m, n))
        self._owned: Dict[int, Any] = {}
        plans = _plans(self.comm)
        self._run = plans.get(("native", _letter(dtype), m, n, k, memory), lambda: _linalg.native_gemm(
            plans.address, _letter(dtype), m, n, k, memory))
        self.plan: str = self._run.name()
        self.bound: float = self._run.bound

    def _elements(self, operand: int) -> Any:
        """Rows, columns and places of this rank's elements."""
        if operand not in self._owned:
            self._owned[operand] = _linalg.owned_elements(self._run, operand)
        return self._owned[operand]

    def _taken(self, operand: int, array: Any) -> NativeMatrix:
        array = numpy.asarray(array, self.dtype)
        if array.shape != self.shapes[operand]:
            raise error(f"a factor of {array.shape}", f"the plan's has {self.shapes[operand]}", "give that")
        rows, columns, places = self._elements(operand)
        local = numpy.zeros(self._run.words[operand], self.dtype)
        local[places] = array[rows, columns]
        return NativeMatrix(self, operand, local)

    def a(self, array: Any) -> NativeMatrix:
        """This rank's part of A, of a numpy array that every rank has."""
        return self._taken(0, array)

    def b(self, array: Any) -> NativeMatrix:
        return self._taken(1, array)

    def __call__(self, a: NativeMatrix, b: NativeMatrix) -> NativeMatrix:
        local = numpy.empty(self._run.words[2], self.dtype)
        self._run.execute(1, 0, [a.local, b.local, local])
        return NativeMatrix(self, 2, local, _traffic(self._run, self.comm))


__all__ = ["Error", "LU", "Matrix", "NativeMatrix", "Product", "QR", "Tensor", "Traffic", "cholesky", "einsum", "lu", "qr",
           "solve", "syrk"]
