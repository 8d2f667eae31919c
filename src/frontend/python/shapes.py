# SPDX-License-Identifier: BSD-3-Clause
"""How many dimensions the arrays of a function have, and the extents of what numpy expressions compute. Runs in front of
arrays.py, in one script with it."""

import ast


class Unsupported(Exception):
    def __init__(self, node, reason, remedy=""):
        super().__init__(reason)
        self.line = getattr(node, "lineno", 1)
        self.reason = reason
        self.remedy = remedy


MATH = {name: name for name in (
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p pow fabs sin cos tan asin acos atan atan2 sinh cosh "
    "tanh erf erfc floor ceil trunc hypot fmod copysign fma").split()}
MATH.update({"abs": "fabs", "absolute": "fabs", "power": "pow", "maximum": "fmax", "minimum": "fmin",
             "arctan": "atan", "arcsin": "asin", "arccos": "acos"})
ELEMENTWISE = set(MATH) | {"max", "min", "float", "float32", "float64"}
PRODUCTS = ("dot", "matmul")
REDUCTIONS = {"sum": "+", "mean": "+", "max": "max", "amax": "max", "min": "min", "amin": "min"}
OUTER_OPERATORS = {"multiply": ast.Mult(), "add": ast.Add(), "subtract": ast.Sub(), "divide": ast.Div()}
MOST_DIMENSIONS = 16
MAKERS = ("zeros", "empty", "ones", "full")
MAKERS_LIKE = ("zeros_like", "empty_like", "ones_like")


def name_of(call):
    """The function a call names, without its module."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def number(value):
    return ast.Constant(value)


def variable(name):
    return ast.Name(name, ast.Load())


def operation(left, operator, right):
    return ast.BinOp(left, operator, right)


def is_number(node, value):
    return isinstance(node, ast.Constant) and node.value is not None and node.value == value


def is_new_axis(node):
    return getattr(node, "attr", "") == "newaxis" or (isinstance(node, ast.Constant) and node.value is None)


def subscript_parts(node):
    """What stands in the brackets of A[i, j], one by one."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def made_extents(call):
    """The extents in zeros((n, m)), zeros(n) and the like; nothing where there are none."""
    shape = call.args[0] if call.args else ast.Tuple([], ast.Load())
    return list(shape.elts) if isinstance(shape, (ast.Tuple, ast.List)) else [shape]


def element(name, indices):
    return ast.Subscript(variable(name), ast.Tuple(indices, ast.Load()), ast.Load())


def linear(node, factor=1, into=None):
    """{text: (node, factor)} of a sum, its constant under ''."""
    into = {"": (None, 0)} if into is None else into
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        into[""] = (None, into[""][1] + factor * node.value)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant) \
            and isinstance(node.left.value, int):
        linear(node.right, factor * node.left.value, into)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        linear(node.left, factor, into)
        linear(node.right, factor if isinstance(node.op, ast.Add) else -factor, into)
    else:
        key = ast.dump(node)
        into[key] = (node, into.get(key, (node, 0))[1] + factor)
    return into


def simplified(node):
    """The same sum with what cancels left out."""
    terms = linear(node)
    constant = terms.pop("")[1]
    total = None
    for term, factor in sorted(terms.values(), key=lambda t: -t[1]):
        if factor == 0:
            continue
        part = term if abs(factor) == 1 else operation(number(abs(factor)), ast.Mult(), term)
        if total is None:
            total = part if factor > 0 else operation(number(constant), ast.Sub(), part)
            constant = constant if factor > 0 else 0
        else:
            total = operation(total, ast.Add() if factor > 0 else ast.Sub(), part)
    if total is None:
        return number(constant)
    if constant == 0:
        return total
    return operation(total, ast.Add() if constant > 0 else ast.Sub(), number(abs(constant)))


def plus(a, b):
    return simplified(operation(a, ast.Add(), b))


def minus(a, b):
    return simplified(operation(a, ast.Sub(), b))


def difference(a, b):
    """a - b where that is a number, else None."""
    whole = minus(a, b)
    return whole.value if isinstance(whole, ast.Constant) else None


class Shapes:
    """Of a function: how many dimensions its arrays have, and the extents of its expressions' values."""

    def __init__(self, body, arguments):
        self.arguments = arguments or []
        self.rank = {}
        self.names = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)} | set(self.arguments)
        self.made = 0
        self.existing = set(self.arguments)  # arrays that are there already
        self.lengths = {}                    # extents of arrays made here
        self.active = []  # loop variables around, each with its first value and the one behind its last
        self.look(body)

    # --- ranks

    def look(self, body):
        """Ranks from subscripts, shapes and the functions that make arrays; then from products."""
        nodes = [n for s in body for n in ast.walk(s)]
        for n in nodes:
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name):
                self.at_least(n.value.id, sum(not is_new_axis(p) for p in subscript_parts(n)))
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Subscript) and isinstance(n.value.value, ast.Name):
                self.at_least(n.value.value.id, 2)
            if isinstance(n, ast.Attribute) and n.attr == "T" and isinstance(n.value, ast.Name):
                self.at_least(n.value.id, 2)
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], (ast.Tuple, ast.List)) and self.is_shape(n.value):
                self.at_least(n.value.value.id, len(n.targets[0].elts))
            if isinstance(n, ast.Subscript) and self.is_shape(n.value) and isinstance(n.slice, ast.Constant):
                self.at_least(n.value.value.id, n.slice.value + 1)
            if isinstance(n, ast.Call) and name_of(n) in REDUCTIONS:
                self.look_at_reduction(n)
            if isinstance(n, ast.Call) and name_of(n) == "outer":
                for side in n.args:
                    self.at_least(getattr(side, "id", ""), 1)
        assigned = {t.id for n in nodes if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
        for n in nodes:
            for side in self.operands_of_product(n) or []:
                self.look_at_operand(side, assigned)
        assignments = [n for s in body for n in self.in_order(s) if isinstance(n, (ast.Assign, ast.AugAssign))]
        for n in assignments + assignments:
            self.look_at_assignment(n)

    def in_order(self, s):
        yield s
        for inner in getattr(s, "body", []) + getattr(s, "orelse", []):
            yield from self.in_order(inner)

    def look_at_reduction(self, n):
        """sum(X, axis=1) needs two dimensions."""
        array = n.args[0] if n.args else getattr(n.func, "value", None)
        for k in n.keywords:
            if k.arg == "axis" and isinstance(array, ast.Name) and isinstance(k.value, ast.Constant):
                self.at_least(array.id, int(k.value.value) + 1)

    def look_at_operand(self, side, assigned):
        """Names in capitals are matrices where nothing else says what they are, an operand alone in small letters a vector."""
        for n in ast.walk(side):
            known = not isinstance(n, ast.Name) or n.id in self.rank or n.id in assigned
            if not known and n.id[:1].isupper():
                self.rank[n.id] = 2
            elif not known and n is side:
                self.rank[n.id] = 1

    def look_at_assignment(self, n):
        """C[:] = A @ B and C = A @ B say how many dimensions C has."""
        target = n.target if isinstance(n, ast.AugAssign) else n.targets[0]
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            target = target.value
        if not isinstance(target, ast.Name):
            return
        try:
            rank = self.rank_of_made(n.value) or len(self.shape(n.value))
        except Unsupported:
            return  # said where the statement is read
        if rank:
            self.at_least(target.id, rank)

    @staticmethod
    def rank_of_made(value):
        """Of zeros((n, m)) and the like; 0 of anything else."""
        return len(made_extents(value)) if isinstance(value, ast.Call) and name_of(value) in MAKERS else 0

    def at_least(self, name, rank):
        if not isinstance(rank, int) or rank > MOST_DIMENSIONS:
            raise Unsupported(None, f"{name} would have {rank} dimensions", f"arrays have {MOST_DIMENSIONS} at most")
        self.rank[name] = max(rank, self.rank.get(name, 0))

    @staticmethod
    def is_shape(node):
        return isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(node.value, ast.Name)

    @staticmethod
    def operands_of_product(node):
        """The two arrays of a @ b, dot(a, b), a.dot(b); None for anything else."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return [node.left, node.right]
        if isinstance(node, ast.Call) and name_of(node) in PRODUCTS:
            if len(node.args) == 2:
                return list(node.args)
            if len(node.args) == 1 and isinstance(node.func, ast.Attribute):
                return [node.func.value, node.args[0]]
        return None

    # --- shapes

    def extent(self, name, d):
        return ast.Subscript(ast.Attribute(variable(name), "shape", ast.Load()), number(d), ast.Load())

    def base_and_indices(self, node):
        indices = []
        while isinstance(node, ast.Subscript):
            indices = subscript_parts(node) + indices
            node = node.value
        if not isinstance(node, ast.Name):
            raise Unsupported(node, "only parts of named arrays are read", "give the array a name")
        given = sum(not is_new_axis(i) for i in indices)
        if given > self.rank.get(node.id, given):
            raise Unsupported(node, f"{given} subscripts of {node.id}, which has {self.rank[node.id]} dimensions", "leave some out")
        return node.id, indices + [ast.Slice() for _ in range(self.rank.get(node.id, 0) - given)]

    @staticmethod
    def dimensions(parts):
        """The dimension of the array that each subscript is for; None for a new axis."""
        d = -1
        for part in parts:
            d += not is_new_axis(part)
            yield (None if is_new_axis(part) else d), part

    def position(self, name, d, index):
        """An index with negative numbers counted from the end."""
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) and isinstance(index.operand, ast.Constant):
            return minus(self.extent(name, d), index.operand)
        return index

    def bounds(self, name, d, part):
        """Start, stop and step of a slice."""
        step = 1 if part.step is None else getattr(part.step, "value", 0)
        if not isinstance(step, int) or step < 1:
            raise Unsupported(part, "a slice whose step is no positive number", "write the loop out")
        start = number(0) if part.lower is None else self.position(name, d, part.lower)
        stop = self.extent(name, d) if part.upper is None else self.position(name, d, part.upper)
        return start, stop, step

    def shape(self, node):
        """The extents of an expression's value; [] of a number."""
        if isinstance(node, ast.Name):
            return list(self.lengths.get(node.id) or
                        [self.extent(node.id, d) for d in range(self.rank.get(node.id, 0))])
        if isinstance(node, ast.Subscript) and not self.is_shape(node.value):
            if not isinstance(node.value, (ast.Name, ast.Subscript)):
                return self.shape_of_part(node)
            name, indices = self.base_and_indices(node)
            extents = []
            for d, part in self.dimensions(indices):
                if d is None:
                    extents.append(number(1))
                elif isinstance(part, ast.Slice):
                    start, stop, step = self.bounds(name, d, part)
                    length = minus(stop, start)
                    extents.append(length if step == 1 else operation(plus(length, number(step - 1)), ast.FloorDiv(), number(step)))
            return extents
        if isinstance(node, ast.Attribute) and node.attr == "T":
            return self.shape(node.value)[::-1]
        sides = self.operands_of_product(node)
        if sides:
            left, right = self.shape(sides[0]), self.shape(sides[1])
            if not 1 <= len(left) <= 2 or not 1 <= len(right) <= 2:
                raise Unsupported(node, f"the product '{ast.unparse(node)[:40]}' of arrays of other than 1 or 2 dimensions",
                                  "name their extents first: n, m = A.shape")
            return left[:-1] + right[1:] if len(right) == 2 else left[:-1]
        if isinstance(node, ast.Call):
            return self.shape_of_call(node)
        if isinstance(node, ast.BinOp):
            return self.joint([node.left, node.right])
        if isinstance(node, ast.UnaryOp):
            return self.shape(node.operand)
        if isinstance(node, ast.IfExp):
            return self.joint([node.body, node.orelse])
        if isinstance(node, ast.Compare):
            return self.joint([node.left] + node.comparators)
        return []

    def shape_of_part(self, node):
        """Of sum(A, axis=1)[:, None]: an expression with whole dimensions and new axes only."""
        extents = self.shape(node.value)
        parts = subscript_parts(node)
        if not all(is_new_axis(p) or ast.dump(p) == ast.dump(ast.Slice()) for p in parts):
            raise Unsupported(node, "a part of an expression", "give the array a name")
        return [number(1) if is_new_axis(p) else extents.pop(0) for p in parts] + extents

    def joint(self, nodes):
        shapes = [self.shape(n) for n in nodes]
        return max(shapes, key=len) if shapes else []

    def shape_of_call(self, node):
        function = name_of(node)
        if function == "len" or function in MAKERS:
            return []
        if function == "outer" and len(node.args) == 2:
            return self.shape(node.args[0]) + self.shape(node.args[1])
        if function == "transpose" and len(node.args) == 1:
            return self.shape(node.args[0])[::-1]
        reduced = self.reduced(node)
        if reduced:
            array, axis, _ = reduced
            extents = self.shape(array)
            return [] if axis is None else extents[:axis] + extents[axis + 1:]
        return self.joint(node.args) if function in ELEMENTWISE | {"where"} else []

    def reduced(self, node):
        """Array, axis and operator of sum(A, axis=0), A.sum() and the like; None for anything else."""
        function = name_of(node)
        if function not in REDUCTIONS:
            return None
        method = isinstance(node.func, ast.Attribute) and not (isinstance(node.func.value, ast.Name)
                                                               and node.func.value.id not in self.rank)
        arguments = ([node.func.value] if method else []) + list(node.args)
        axes = [k.value for k in node.keywords if k.arg == "axis"] + arguments[1:2]
        if not arguments or not self.shape(arguments[0]):
            return None
        if len(axes) > 1 or any(k.arg != "axis" for k in node.keywords) or len(arguments) > 2:
            raise Unsupported(node, f"'{function}' with these arguments", "give the array and one axis")
        axis = None
        if axes:
            axis = getattr(axes[0], "value", None)
            if isinstance(axes[0], ast.UnaryOp):
                axis = len(self.shape(arguments[0])) - axes[0].operand.value
            if not isinstance(axis, int):
                raise Unsupported(node, "an axis that is no number")
        return arguments[0], axis, REDUCTIONS[function]
