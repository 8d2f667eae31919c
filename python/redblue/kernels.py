# SPDX-License-Identifier: BSD-3-Clause
"""@redblue.kernel: Python loops over numpy arrays, compiled in an order that moves little."""

from __future__ import annotations

import ast
import ctypes
import functools
import inspect
import itertools
import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy

from . import _analysis, compiled
from .bounds import Bound, bound
from .errors import Error, error
from .schedules import Replays, Schedule, replay, tile
from .sources import Sizes, Source, request, sizes_of, source_of

_OTHER_ORDER = {"dot", "matmul", "outer", "sum", "mean", "inner", "vdot", "einsum", "tensordot"}


class _Faithful(ast.NodeVisitor):
    """Refuses what C computes in another way than Python."""

    def __init__(self, label: str):
        self.label = label

    def refuse(self, node: ast.AST, found: str, remedy: str) -> None:
        raise error(f"{self.label}:{getattr(node, 'lineno', 1)}", found, remedy)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            self.refuse(node, "numpy adds up the products of @ in an order of its own", "write the loop out")
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)) and any(isinstance(n, ast.Subscript) for n in ast.walk(node)):
            self.refuse(node, "// and % of elements round otherwise in C", "use them on loop variables only")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _OTHER_ORDER:
            self.refuse(node, f"numpy adds up in '{name}' in an order of its own", "write the loop out")
        if name in ("int", "float32", "round"):
            self.refuse(node, f"'{name}' is not kept in C", "leave it out")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        if any(v is not None and not isinstance(v, ast.Name) for v in values):
            self.refuse(node, "it returns an expression", "give it a name first")

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.BoolOp):
            self.refuse(node, "'and' and 'or' give an operand in Python, 1 or 0 in C", "write a if b else c")
        self.generic_visit(node)


def _returned(function: ast.FunctionDef) -> List[str]:
    last = function.body[-1]
    if not isinstance(last, ast.Return) or last.value is None:
        return []
    values = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    return [v.id for v in values if isinstance(v, ast.Name)]


class Kernel:
    """A Python function of loops over float64 arrays, with its bound, its schedule and its C; called like the function.

    Elements are computed by the operations of the Python source, in an order that gives the same bits.
    """

    def __init__(self, function: Callable[..., Any], sizes: Optional[Sizes] = None, check: bool = False):
        functools.update_wrapper(self, function)
        self.python = function           #: the original
        self.check = check               #: whether each call is compared with the original
        self._sizes = dict(sizes or {})  # that the order is chosen for; none: those of the first call
        self._signature = inspect.signature(function)
        self._source = source_of(function)
        tree = ast.parse(self._source.text).body[0]
        assert isinstance(tree, ast.FunctionDef)
        _Faithful(self._source.label).visit(tree)
        self._names_returned = _returned(tree)
        with self._source.on_disk() as path:
            translated = json.loads(_analysis.translate(path, self._source.function))
        self._c: str = translated["c"]
        self._extents: Dict[str, Tuple[str, int]] = {name: (a, d) for name, (a, d) in translated["extents"].items()}
        self._parameters = compiled.parameters_of(self._c, translated["function"])
        self._check_names()
        self._fast: Dict[str, Any] = {}
        self._call: Any = None
        self._code = ""
        self._known_good: Dict[Any, bool] = {}
        self._written: Optional[frozenset] = None

    def _check_names(self) -> None:
        arguments = set(self._signature.parameters)
        arrays = {p.name for p in self._parameters if p.rank}
        for p in self._parameters:
            if p.name in arguments or p.name in self._extents:
                continue
            raise error(f"kernel {self.__name__}", f"'{p.name}' is no argument", "pass it as one")
        own = [n for n in self._names_returned if n not in arrays and f"double {n}[" in self._c]
        if own:
            raise error(f"kernel {self.__name__}", f"it returns '{own[0]}', an array made inside", "pass the array as an argument")

    # ------------------------------------------------------------------ what is known of it

    def bound(self, sizes: Optional[Sizes] = None, **more: Any) -> Bound:
        """redblue.bound of the function."""
        return bound(self._source, sizes, **more)

    def schedule(self, sizes: Optional[Sizes] = None, **more: Any) -> Schedule:
        """redblue.tile of the function: sizes of all parameters, and S."""
        return tile(self._source, sizes, **more)

    def traffic(self, sizes: Optional[Sizes] = None, **more: Any) -> Replays:
        """redblue.replay of the function: what its own order moves through S words."""
        return replay(self._source, sizes, **more)

    @property
    def code(self) -> str:
        """The C that runs, once there was a call or `compile`."""
        if not self._code:
            raise error(f"kernel {self.__name__}", "it is not compiled yet", "call it, or compile(n=1000)")
        return self._code

    @property
    def order(self) -> Dict[str, Any]:
        """How the loops that run were ordered: register blocks, storage, updates that were reordered; or why they were not."""
        return {key: value for key, value in self._fast.items() if key != "code"}

    # ------------------------------------------------------------------ compiling and calling

    def compile(self, sizes: Optional[Sizes] = None, **more: int) -> "Kernel":
        """Chooses an order for these sizes (it is right for all), and compiles it."""
        given = sizes_of(sizes, more)
        self._fast = {"code": self._c, "changed": False}
        if given and all(value > 0 for value in given.values()):
            self._fast = compiled.remembered(f"{self._c}\n{sorted(given.items())}", lambda: self._ordered(given))
        scalars = [n for n in self._names_returned if n not in {p.name for p in self._parameters if p.rank}]
        self._code = compiled.with_contiguous_arrays(self._fast["code"], self._source.function, self._parameters, scalars)
        self._call, self.library = compiled.load(self._code, self._parameters)
        return self

    def _ordered(self, sizes: Mapping[str, int]) -> Dict[str, Any]:
        """The C in the order that a model of this processor takes for the fastest; or as it is, and why."""
        with self._c_request(sizes) as r:
            try:
                return json.loads(_analysis.fast(r))
            except Error as e:
                return {"code": self._c, "changed": False, "why": str(e)}

    def _c_request(self, sizes: Mapping[str, int]) -> Any:
        return request(Source(label=self._source.label, text=self._c, function=self._source.function), sizes)

    def _numbers(self, arguments: Mapping[str, Any]) -> Tuple[Dict[str, numpy.ndarray], Dict[str, Any]]:
        """Arrays and numbers by the names of C's parameters."""
        arrays: Dict[str, numpy.ndarray] = {}
        numbers: Dict[str, Any] = {}
        for p in self._parameters:
            if p.rank:
                arrays[p.name] = self._array(p, arguments[p.name])
        for p in self._parameters:
            if p.rank:
                continue
            if p.name in self._extents:
                array, dimension = self._extents[p.name]
                numbers[p.name] = numpy.shape(arguments[array])[dimension]
            elif p.type == "int":
                numbers.update(sizes_of({}, {p.name: arguments[p.name]}))
            else:
                try:
                    numbers[p.name] = float(arguments[p.name])
                except (TypeError, ValueError):
                    raise error(f"kernel {self.__name__}: {p.name}", f"{type(arguments[p.name]).__name__}, no number",
                                "give a float") from None
            if p.type == "int" and not 0 <= numbers[p.name] < 2**31:
                raise error(f"kernel {self.__name__}: {p.name} = {numbers[p.name]}", "no size", "give 0 to 2147483647")
        return arrays, numbers

    def _array(self, p: compiled.Parameter, array: Any) -> numpy.ndarray:
        asked = f"kernel {self.__name__}: {p.name}"
        if not isinstance(array, numpy.ndarray):
            raise error(asked, f"{type(array).__name__}, no numpy array", "give one of float64")
        if array.dtype != numpy.float64 or not array.dtype.isnative:
            raise error(asked, f"an array of {array.dtype}", f"give {p.name}.astype(numpy.float64)")
        if array.ndim != p.rank:
            raise error(asked, f"{array.ndim} dimensions", f"it has {p.rank} in the function")
        if not (array.flags.c_contiguous and array.flags.aligned):
            raise error(asked, "it is not contiguous in C's order", f"give numpy.ascontiguousarray({p.name})")
        return array

    def _check_arrays(self, arrays: Mapping[str, numpy.ndarray], numbers: Mapping[str, Any]) -> None:
        """That the loops stay inside the arrays, by the sets of elements they touch."""
        sizes = {p.name: numbers[p.name] for p in self._parameters if p.type == "int" and not p.rank}
        key = (tuple(sizes.items()), tuple(a.shape for a in arrays.values()))
        if key in self._known_good:
            return
        with self._c_request(sizes) as r:
            touched = json.loads(_analysis.touched(r))
        for name, array in arrays.items():
            for d, (first, last) in enumerate(touched.get(name, [])):
                if first < 0 or last >= array.shape[d] or array.shape[d] >= 2**31:
                    shape = " x ".join(map(str, array.shape))
                    raise error(f"kernel {self.__name__}: {name}", f"{shape} elements, of which it uses subscripts {first} to "
                                f"{last} in dimension {d}", "give an array that has them, without counting from the end")
        if len(self._known_good) > 1000:
            self._known_good.clear()
        self._known_good[key] = True

    def _check_overlap(self, arrays: Mapping[str, numpy.ndarray]) -> None:
        if self._written is None:
            self._written = frozenset(f.array for f in bound(self._source).final_values)
        for name in self._written & arrays.keys():
            if not arrays[name].flags.writeable:
                raise error(f"kernel {self.__name__}: {name}", "a read-only array, which it writes", "give a copy")
        for (a, x), (b, y) in itertools.combinations(arrays.items(), 2):
            if (a in self._written or b in self._written) and numpy.may_share_memory(x, y):
                raise error(f"kernel {self.__name__}: {a} and {b}", "they share memory", "give a copy of one")

    def __call__(self, *positional: Any, **named: Any) -> Any:
        check = named.pop("check", self.check) if "check" not in self._signature.parameters else self.check
        bound_arguments = self._signature.bind(*positional, **named)
        bound_arguments.apply_defaults()
        arguments = bound_arguments.arguments
        arrays, numbers = self._numbers(arguments)
        self._check_overlap(arrays)
        self._check_arrays(arrays, numbers)
        if self._call is None:
            whole = [p.name for p in self._parameters if p.type == "int" and not p.rank]
            self.compile({name: self._sizes.get(name, numbers[name]) for name in whole})
        before = {name: array.copy() for name, array in arrays.items()} if check else {}
        result = self._run(arrays, numbers, arguments)
        if check:
            self._compare(before, arguments, arrays, result)
        return result

    def _run(self, arrays: Mapping[str, numpy.ndarray], numbers: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
        extents = [arrays[p.name].shape[d] for p in self._parameters for d in range(1, p.rank)]
        values = [arrays[p.name].ctypes.data if p.rank else numbers[p.name] for p in self._parameters]
        results = (ctypes.c_double * max(1, len(self._names_returned)))()
        failed = ctypes.c_int(0)
        self._call(*extents, *values, ctypes.addressof(results), ctypes.addressof(failed))
        if failed.value:
            raise MemoryError(f"kernel {self.__name__}: no memory for its arrays")
        scalars = iter(results)
        returned = [arguments[n] if n in arrays else next(scalars) for n in self._names_returned]
        return None if not returned else returned[0] if len(returned) == 1 else tuple(returned)

    def _compare(self, before: Mapping[str, numpy.ndarray], arguments: Mapping[str, Any], arrays: Mapping[str, numpy.ndarray],
                 result: Any) -> None:
        again = {**arguments, **before}
        wanted = self.python(*self._signature.bind(**again).args, **self._signature.bind(**again).kwargs)
        for name, array in arrays.items():
            self._same(name, array, before[name])
        values = result if isinstance(result, tuple) else (result,)
        wanted_values = wanted if isinstance(wanted, tuple) else (wanted,)
        for name, ours, theirs in zip(self._names_returned, values, wanted_values):
            self._same(name, numpy.asarray(ours, dtype=float), numpy.asarray(theirs, dtype=float))

    def _same(self, name: str, ours: numpy.ndarray, theirs: numpy.ndarray) -> None:
        ours, theirs = numpy.atleast_1d(ours), numpy.atleast_1d(theirs)
        differ = (ours.view(numpy.int64) != theirs.view(numpy.int64)) & ~(numpy.isnan(ours) & numpy.isnan(theirs))
        if differ.any():
            at = tuple(int(i) for i in numpy.argwhere(differ)[0])
            raise error(f"kernel {self.__name__}: {name}{list(at)}", f"{float(ours[at])!r}, and {float(theirs[at])!r} in Python",
                        "functions of numpy may round otherwise than those of math and C")

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self.__call__, instance)

    def __repr__(self) -> str:
        return f"<redblue.Kernel {self.__name__}{self._signature}>"


def kernel(function: Optional[Callable[..., Any]] = None, *, sizes: Optional[Sizes] = None, check: bool = False) -> Any:
    """Decorates a Python function of loops over numpy arrays of float64: calls run compiled code, in place, with the bits that
    Python computes. `sizes`: those that the order of loops is chosen for (it is right for all; default: the first call's).
    `check`: each call is compared with the original, bit for bit; `f(.., check=True)` for one call. Raises redblue.Error for
    what redblue does not read, arrays of other types or too small, arrays that share memory.

    >>> import numpy, redblue
    >>> def scale(x, a):
    ...     for i in range(x.shape[0]):
    ...         x[i] = a * x[i]
    """
    if function is None:
        return lambda f: Kernel(f, sizes, check)
    return Kernel(function, sizes, check)
