# SPDX-License-Identifier: BSD-3-Clause
"""Python loop nests as C, for redblue's C front end; #line directives keep the lines of the file. Runs behind shapes.py
and arrays.py, in one script with them."""

import ast

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
HELPERS = {"min": "static int min(int a, int b) { return a < b ? a : b; }",
           "max": "static int max(int a, int b) { return a > b ? a : b; }",
           "floord": "static int floord(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }"}
RESERVED = set("auto break case char const continue default do double else enum extern float for goto if "
               "inline int long register restrict return short signed sizeof static struct switch typedef "
               "union unsigned void volatile while min max floord".split())


class Translation:
    def __init__(self, body, arguments, name):
        self.body = body
        self.arguments = arguments  # None: module level
        self.name = name
        self.loops = []
        self.line = 1          # of the statement being translated
        self.rank = {}         # array -> number of subscripts
        self.integers = set()  # names that steer loops
        self.assigned = []     # scalars the code gives values to
        self.scalars = set()
        self.local = {}        # arrays made here
        self.extents = {}      # (array, dimension) -> the parameter that is its size
        self.functions = {}
        self.helpers = set()
        self.lines = []
        self.in_control = False

    # --- expressions

    def subscripts(self, node):
        indices = []
        while isinstance(node, ast.Subscript):
            parts = subscript_parts(node)
            for part in parts:
                if isinstance(part, ast.Slice):
                    raise Unsupported(part, "a slice is no single element", "write the loop out")
                if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub) and isinstance(part.operand, ast.Constant):
                    raise Unsupported(part, "a negative subscript counts from the end", "write the length out")
            indices = parts + indices
            node = node.value
        if not isinstance(node, ast.Name):
            raise Unsupported(node, "only elements of named arrays are read", "write A[i, j]")
        known = self.rank.setdefault(node.id, len(indices))
        if known != len(indices):
            raise Unsupported(node, f"'{node.id}' has {known} subscripts elsewhere, {len(indices)} here")
        return node.id, indices

    def element(self, node):
        name, indices = self.subscripts(node)
        return name + "".join(f"[{self.control(i)}]" for i in indices)

    def control(self, node):
        """An integer expression that steers loops or subscripts."""
        before, self.in_control = self.in_control, True
        text = self.expression(node)
        self.in_control = before
        return text

    def expression(self, node):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
                raise Unsupported(node, f"the constant {node.value!r} is no number")
            if isinstance(node.value, float) and (node.value != node.value or node.value in (float("inf"), -float("inf"))):
                raise Unsupported(node, "an infinite constant")
            return repr(node.value)
        if isinstance(node, ast.Name):
            if node.id in self.rank:
                raise Unsupported(node, f"'{node.id}' is an array, used here as a whole", "name an element")
            if self.in_control and node.id not in self.loops:
                self.integers.add(node.id)
            elif node.id not in self.loops:
                self.scalars.add(node.id)
            return node.id
        if self.extent(node):
            return self.size(self.extent(node))
        if isinstance(node, ast.Subscript):
            if self.in_control:
                raise Unsupported(node, "a loop bound, condition or subscript that depends on data",
                                  "only affine functions of loop variables and sizes can be read")
            return self.element(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return ("-" if isinstance(node.op, ast.USub) else "+") + f"({self.expression(node.operand)})"
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.IfExp):
            before, self.in_control = self.in_control, self.in_control or self.steers(node.test)
            test = self.test(node.test)
            self.in_control = before
            return f"(({test}) ? {self.expression(node.body)} : {self.expression(node.orelse)})"
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            return f"({self.test(node)})"
        if isinstance(node, ast.Call):
            return self.call(node)
        raise Unsupported(node, f"'{ast.unparse(node)[:40]}' is no expression redblue reads",
                          "elements, scalars, arithmetic and math functions can be used")

    def steers(self, test):
        """Whether a condition is one on loop variables and sizes alone."""
        names = [n.id for n in ast.walk(test) if isinstance(n, ast.Name)]
        data = (ast.Subscript, ast.Attribute, ast.Call)
        return (any(n in self.loops for n in names) and all(n in self.loops or n in self.integers for n in names)
                and not any(isinstance(n, data) or isinstance(getattr(n, "value", 0), float) for n in ast.walk(test)))

    def whole(self, node):
        """Whether C may take a value for a whole number: nothing in it is an element, a fraction or a function's value."""
        if self.extent(node):
            return True
        return not any(isinstance(n, (ast.Subscript, ast.Call)) or isinstance(getattr(n, "value", 0), float)
                       or isinstance(n, ast.Name) and n.id in self.assigned for n in ast.walk(node))

    def extent(self, node):
        """The array and dimension that X.shape[d] or len(X) is the size of; None for anything else."""
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and len(node.args) == 1:
            return (node.args[0].id, 0) if isinstance(node.args[0], ast.Name) else None
        if (isinstance(node, ast.Subscript) and self.is_shape(node.value) and isinstance(node.slice, ast.Constant)
                and isinstance(node.slice.value, int) and node.slice.value >= 0):
            return node.value.value.id, node.slice.value
        return None

    def is_shape(self, node):
        return isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(node.value, ast.Name)

    def size(self, extent):
        """The parameter that stands for an extent; of an array made here, the size it was made with."""
        array, dimension = extent
        if dimension < len(self.local.get(array, [])):
            return f"({self.local[array][dimension]})"
        name = self.extents.setdefault(extent, f"{extent[0]}_shape_{extent[1]}")
        self.integers.add(name)
        return name

    def named_sizes(self, target, value):
        """n = A.shape[0], n = len(A), n, m = A.shape: names for extents, parameters as these are."""
        one = self.extent(value)
        if one and isinstance(target, ast.Name):
            pairs = [(target, one)]
        elif self.is_shape(value) and isinstance(target, (ast.Tuple, ast.List)):
            pairs = [(t, (value.value.id, d)) for d, t in enumerate(target.elts) if isinstance(t, ast.Name)]
            if len(pairs) != len(target.elts):
                return False
        else:
            return False
        if self.loops or any(e in self.extents for _, e in pairs):
            raise Unsupported(target, f"'{ast.unparse(value)}' gets a name where it is in use", "name it first, once")
        for name, extent in pairs:
            self.extents[extent] = name.id
            self.integers.add(name.id)
        return True

    def binary(self, node):
        left, right = self.expression(node.left), self.expression(node.right)
        kind = type(node.op)
        if kind in OPERATORS:
            # Python's whole numbers have no largest one, and their quotients are fractions
            if not self.in_control and self.whole(node.left) and self.whole(node.right):
                left = f"(double){left}"
            return f"({left} {OPERATORS[kind]} {right})"
        if kind in (ast.FloorDiv, ast.Mod) and self.in_control:
            self.helpers.add("floord")
            quotient = f"floord({left}, {right})"
            return quotient if kind is ast.FloorDiv else f"({left} - {right} * {quotient})"
        if kind is ast.Pow and not self.in_control:
            return self.named("pow", [left, right])
        if kind is ast.FloorDiv:
            return self.named("floor", [f"{left} / {right}"])
        if kind is ast.Mod:
            return self.named("fmod", [left, right])
        raise Unsupported(node, f"the operator in '{ast.unparse(node)[:40]}' is not read")

    def test(self, node):
        if isinstance(node, ast.Compare):
            sides = [node.left] + node.comparators
            texts = [self.expression(s) for s in sides]
            parts = []
            for operator, left, right in zip(node.ops, texts, texts[1:]):
                if type(operator) not in COMPARISONS:
                    raise Unsupported(node, f"the comparison '{ast.unparse(node)[:40]}' is not read")
                parts.append(f"{left} {COMPARISONS[type(operator)]} {right}")
            return " && ".join(parts)
        if isinstance(node, ast.BoolOp):
            joint = " && " if isinstance(node.op, ast.And) else " || "
            return joint.join(f"({self.test(v)})" for v in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!({self.test(node.operand)})"
        raise Unsupported(node, f"'{ast.unparse(node)[:40]}' is no comparison")

    def named(self, function, arguments):
        self.functions[function] = len(arguments)
        return f"{function}({', '.join(arguments)})"

    def call(self, node):
        function = name_of(node)
        if node.keywords:
            raise Unsupported(node, f"'{function}' with named arguments")
        arguments = [self.expression(a) for a in node.args]
        if function in ("min", "max"):
            name = function if self.in_control else "f" + function
            if self.in_control:
                self.helpers.add(name)
            if len(arguments) < 2:
                raise Unsupported(node, f"'{function}' of a whole array", "write the loop out")
            text = arguments[0]
            for next_one in arguments[1:]:
                text = f"{name}({text}, {next_one})" if self.in_control else self.named(name, [text, next_one])
            return text
        if function in ("float", "int", "float32", "float64") and len(arguments) == 1:
            return arguments[0]
        if function in MATH and not self.in_control:
            return self.named(MATH[function], arguments)
        raise Unsupported(node, f"the function '{function}' may have effects", "math functions can be called")

    # --- statements

    def emit(self, node, text):
        self.lines.append(f"#line {node.lineno}")
        self.lines.append(text)

    def target(self, node):
        if isinstance(node, ast.Subscript):
            return self.element(node)
        if isinstance(node, ast.Name):
            if node.id in self.loops:
                raise Unsupported(node, f"the loop variable '{node.id}' is assigned")
            if node.id in self.rank:
                raise Unsupported(node, f"'{node.id}' is an array, assigned here as a whole", "write the loop out")
            if node.id not in self.assigned:
                self.assigned.append(node.id)
            return node.id
        raise Unsupported(node, "only elements and scalars are assigned", "one assignment per value")

    def new_array(self, name, call):
        """X = zeros((n, m)) or empty(...): an array of this code's own."""
        function, extents = name_of(call), made_extents(call)
        if function not in MAKERS or not extents:
            return False
        if self.rank.setdefault(name, len(extents)) != len(extents) or name in self.local:
            raise Unsupported(call, f"'{name}' is made twice or has another rank elsewhere")
        self.local[name] = [self.control(e) for e in extents]
        if function == "empty":
            return True
        value = {"zeros": "0.0", "ones": "1.0"}.get(function)
        if value is None:
            if len(call.args) < 2:
                raise Unsupported(call, "full without a value")
            value = self.expression(call.args[1])
        counters = [f"{name}_{d}" for d in range(len(extents))]
        loops = "".join(f"for (int {c} = 0; {c} < {e}; {c}++) " for c, e in zip(counters, self.local[name]))
        self.emit(call, loops + name + "".join(f"[{c}]" for c in counters) + f" = {value};")
        return True

    def statement(self, node):
        self.line = node.lineno
        if isinstance(node, ast.For):
            self.loop(node)
        elif isinstance(node, ast.If):
            before, self.in_control = self.in_control, True
            self.emit(node, f"if ({self.test(node.test)}) {{")
            self.in_control = before
            self.block(node.body)
            if node.orelse:
                self.emit(node.orelse[0], "} else {")
                self.block(node.orelse)
            self.lines.append("}")
        elif isinstance(node, ast.Assign):
            if len(node.targets) == 1 and self.named_sizes(node.targets[0], node.value):
                return
            if len(node.targets) != 1 or isinstance(node.targets[0], (ast.Tuple, ast.List)):
                raise Unsupported(node, "several targets in one assignment", "one assignment per value")
            target = node.targets[0]
            if isinstance(target, ast.Name) and isinstance(node.value, ast.Call) and self.new_array(target.id, node.value):
                return
            value = self.expression(node.value)
            self.emit(node, f"{self.target(target)} = {value};")
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            value = self.expression(node.value)
            self.emit(node, f"{self.target(node.target)} = {value};")
        elif isinstance(node, ast.AugAssign):
            value = self.expression(node.value)
            if type(node.op) not in OPERATORS:
                raise Unsupported(node, "this augmented assignment is not read", "+=, -=, *= and /= are")
            self.emit(node, f"{self.target(node.target)} {OPERATORS[type(node.op)]}= {value};")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            pass  # a docstring
        elif isinstance(node, (ast.Pass, ast.Import, ast.ImportFrom)):
            pass
        elif isinstance(node, ast.Return) and node is self.body[-1]:
            self.returned(node)
        elif isinstance(node, ast.While):
            raise Unsupported(node, "a while loop has no affine trip count", "write it as a for loop")
        else:
            raise Unsupported(node, f"'{ast.unparse(node).splitlines()[0][:40]}' is no assignment, for or if",
                              "only these are read")

    def returned(self, node):
        """What the function returns is read after it: C hands it to a function nobody knows."""
        values = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else [node.value]
        arguments = []
        for value in values:
            own = [n.id for n in ast.walk(value or node) if isinstance(n, ast.Name)
                   and (n.id in self.rank or n.id in self.assigned)]
            try:
                whole = isinstance(value, ast.Name) or not own
                arguments += own if whole else [self.expression(value)]
            except Unsupported:
                arguments += own
        self.hand_over(node, arguments)

    def hand_over(self, node, names):
        if names:
            self.functions["redblue_returned"] = None
            self.emit(node, f"return redblue_returned({', '.join(names)});")

    def block(self, statements):
        for s in statements:
            self.statement(s)

    def loop(self, node):
        call = node.iter
        function = call.func if isinstance(call, ast.Call) else None
        # numba's prange, or numba.prange, runs the iterations in any order: the same loop nest
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if not (name in ("range", "prange") and not (name == "range" and isinstance(function, ast.Attribute))
                and isinstance(node.target, ast.Name) and not call.keywords and 1 <= len(call.args) <= 3):
            raise Unsupported(node, "this for loop is not over a range", "write for i in range(low, high, step)")
        if node.orelse:
            raise Unsupported(node, "a for loop with else")
        arguments = [self.control(a) for a in call.args]
        low, high = ("0", arguments[0]) if len(arguments) == 1 else arguments[:2]
        step = 1
        if len(arguments) == 3:
            try:
                step = ast.literal_eval(call.args[2])
            except ValueError:
                step = 0
        if not isinstance(step, int) or step == 0:
            raise Unsupported(node, "a step that is no constant other than 0")
        name = node.target.id
        if name in self.assigned or name in self.rank:
            raise Unsupported(node, f"'{name}' is a loop variable and something else")
        sign = "<" if step > 0 else ">"
        self.emit(node, f"for (int {name} = {low}; {name} {sign} {high}; {name} += {step}) {{")
        self.loops.append(name)
        self.block(node.body)
        self.loops.pop()
        self.lines.append("}")

    # --- the whole

    def text(self, path):
        self.body = Arrays(self.body, self.arguments).rewritten(self.body)
        self.block(self.body)
        for name in self.assigned:
            if name in self.integers:
                raise Unsupported(self.body[0], f"'{name}' steers loops and is assigned", "use a loop variable")
        visible = self.arguments is None
        if visible:
            self.hand_over(self.body[-1], sorted(self.local))
        parameters, declarations = [], []
        names = set(self.arguments or []) | self.integers | self.scalars | set(self.rank) | set(self.assigned)
        for name in sorted(names):
            if name in RESERVED:
                raise Unsupported(self.body[0], f"the name '{name}' means something else in C", "rename it")
            stars = "*" * self.rank.get(name, 0)
            if name in self.local:
                declarations.append(f"double {name}" + "".join(f"[{e}]" for e in self.local[name]) + ";")
            elif name in self.assigned and name not in (self.arguments or []) and not visible:
                declarations.append(f"double {name};")
            elif name in self.assigned and visible:
                declarations.append("")  # a global, below
            else:
                parameters.append(("int " if name in self.integers else "double ") + stars + name)
        head = [definition for name, definition in HELPERS.items() if name in self.helpers]
        head += ["void redblue_returned();" if n is None else f"double {f}({', '.join(['double'] * n)});"
                 for f, n in sorted(self.functions.items())]
        if visible:
            head += [f"double {name};" for name in sorted(self.assigned)]
        head.append(f"void {self.name}({', '.join(parameters) or 'void'}) {{")
        return "\n".join(head + [d for d in declarations if d] + self.lines + ["}", ""])
