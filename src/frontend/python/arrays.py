# SPDX-License-Identifier: BSD-3-Clause
"""Array expressions of numpy as loops over elements: slices, whole arrays, @, dot, outer, sum, min, max, mean, where, .T.

Each element is computed where it is needed, without arrays for what lies between; arrays are made for operands of
products that are products or sums themselves, and where a statement overwrites what it still reads.
Runs behind shapes.py, in one script with it.
"""

import ast


class Arrays(Shapes):
    """Rewrites the statements of a function so that only elements are left."""

    # --- elements

    def fresh(self, start):
        for name in (start if isinstance(start, list) else []):
            if name not in self.names:
                self.names.add(name)
                return name
        self.made += 1
        return self.fresh([f"{start if isinstance(start, str) else 'i'}_{self.made}"])

    def counters(self, extents):
        return [self.fresh(["i", "j", "k", "l", "m", "p", "q", "r"]) for _ in extents]

    def release(self, counters):
        self.names -= set(counters)

    def at(self, node, indices, before):
        """The element of an expression's value at these indices; what must run first goes to `before`."""
        extents = self.shape(node)
        if isinstance(node, ast.Name) and extents:
            return element(node.id, self.aligned(indices, extents))
        if isinstance(node, ast.Subscript) and not self.is_shape(node.value):
            return self.at_part(node, self.aligned(indices, extents))
        if isinstance(node, ast.Attribute) and node.attr == "T":
            return self.at(node.value, self.aligned(indices, extents)[::-1], before)
        if self.operands_of_product(node):
            return self.product(node, self.aligned(indices, extents), before)
        if isinstance(node, ast.Call):
            return self.at_call(node, indices, before)
        if isinstance(node, ast.BinOp):
            return operation(self.at(node.left, indices, before), node.op, self.at(node.right, indices, before))
        if isinstance(node, ast.UnaryOp):
            return ast.UnaryOp(node.op, self.at(node.operand, indices, before))
        if isinstance(node, ast.IfExp) and extents:
            raise Unsupported(node, "a choice between arrays", "use where")
        if isinstance(node, ast.Compare):
            return ast.Compare(self.at(node.left, indices, before), node.ops,
                               [self.at(c, indices, before) for c in node.comparators])
        return node

    @staticmethod
    def aligned(indices, extents):
        """Of an array of fewer dimensions the last indices count; an extent of 1 is repeated."""
        own = indices[len(indices) - len(extents):]
        return [number(0) if is_number(e, 1) else i for i, e in zip(own, extents)]

    def at_part(self, node, indices):
        name, parts = self.base_and_indices(node)
        left = list(indices)
        result = []
        for d, part in self.dimensions(parts):
            if d is None:
                left.pop(0)
                continue
            if not isinstance(part, ast.Slice):
                result.append(self.position(name, d, part))
                continue
            start, _, step = self.bounds(name, d, part)
            index = left.pop(0)
            result.append(plus(start, index) if step == 1 else plus(start, operation(number(step), ast.Mult(), index)))
        return element(name, result)

    def at_call(self, node, indices, before):
        function = name_of(node)
        if function == "outer" and len(node.args) == 2:
            rows = len(self.shape(node.args[0]))
            sides = [self.at(node.args[0], indices[:rows], before), self.at(node.args[1], indices[rows:], before)]
            of = getattr(node.func.value, "attr", "multiply") if isinstance(node.func, ast.Attribute) else "multiply"
            if of in OUTER_OPERATORS:
                return operation(sides[0], OUTER_OPERATORS[of], sides[1])
            return ast.Call(variable(of), sides, [])
        if function == "transpose" and len(node.args) == 1:
            return self.at(node.args[0], indices[::-1], before)
        if function == "where" and len(node.args) == 3:
            test, yes, no = (self.at(a, indices, before) for a in node.args)
            return ast.IfExp(test, yes, no)
        reduced = self.reduced(node)
        if reduced:
            array, axis, operator = reduced
            inner = indices if axis is None else self.aligned(indices, self.shape(node))
            return self.reduction(array, axis, operator, name_of(node) == "mean", inner, before)
        return ast.Call(node.func, [self.at(a, indices, before) for a in node.args], node.keywords)

    def ranges(self, node):
        """Start and stop of a counter for each dimension of an expression: of a slice its own."""
        if isinstance(node, ast.Subscript) and not self.is_shape(node.value):
            name, parts = self.base_and_indices(node)
            slices = [self.bounds(name, d, p) for d, p in self.dimensions(parts) if isinstance(p, ast.Slice)]
            if not any(d is None for d, _ in self.dimensions(parts)) and all(step == 1 for _, _, step in slices):
                return [(start, stop) for start, stop, _ in slices]
        return [(number(0), extent) for extent in self.shape(node)]

    @staticmethod
    def indices(counters, ranges):
        """What the counters are as indices of the expression, which count from 0."""
        return [minus(variable(c), start) for c, (start, _) in zip(counters, ranges)]

    def accumulated(self, before, ranges, start, step):
        """A number that loops over `ranges` add up (or take the largest of), in statements before."""
        total = self.fresh("t")
        counters = self.counters(ranges)
        inside = []
        body = step(total, self.indices(counters, ranges), inside)
        self.release(counters)
        before.append(ast.Assign([variable(total)], start))
        before.extend(self.loops(counters, ranges, inside + [body]))
        return variable(total)

    def product(self, node, indices, before):
        left, right = self.operands_of_product(node)
        rows = len(self.shape(left)) - 1

        def step(total, at, inside):
            a = self.at(left, indices[:rows] + at, inside)
            b = self.at(right, at + indices[rows:], inside)
            return ast.AugAssign(variable(total), ast.Add(), operation(a, ast.Mult(), b))
        return self.accumulated(before, [self.ranges(left)[-1]], number(0.0), step)

    def reduction(self, array, axis, operator, mean, indices, before):
        extents = self.shape(array)
        ranges = self.ranges(array)
        inner = ranges if axis is None else [ranges[axis]]

        def whole(at):
            return at if axis is None else indices[:axis] + at + indices[axis:]

        def step(total, at, inside):
            value = self.at(array, whole(at), inside)
            if operator == "+":
                return ast.AugAssign(variable(total), ast.Add(), value)
            return ast.Assign([variable(total)], ast.Call(variable(operator), [variable(total), value], []))
        start = number(0.0) if operator == "+" else self.at(array, whole([number(0) for _ in inner]), before)
        total = self.accumulated(before, inner, start, step)
        if not mean:
            return total
        for extent in extents if axis is None else [extents[axis]]:
            total = operation(total, ast.Div(), extent)
        return total

    @staticmethod
    def loops(counters, ranges, body):
        for counter, (start, stop) in reversed(list(zip(counters, ranges))):
            body = [ast.For(variable(counter), ast.Call(variable("range"), [start, stop], []), body, [])]
        return body

    # --- statements

    def rewritten(self, statements):
        result = []
        for s in statements:
            for made in self.statement(s):
                ast.copy_location(made, s)
                for inner in ast.walk(made):
                    if not hasattr(inner, "lineno"):
                        ast.copy_location(inner, s)
                result.append(ast.fix_missing_locations(made))
        return result

    def statement(self, s):
        if isinstance(s, ast.For):
            return self.loop(s)
        if isinstance(s, ast.If):
            return [ast.If(s.test, self.rewritten(s.body), self.rewritten(s.orelse))]
        if isinstance(s, ast.Assign) and len(s.targets) == 1 and not isinstance(s.targets[0], (ast.Tuple, ast.List)):
            return self.assignment(s, s.targets[0], s.value, None)
        if isinstance(s, ast.AugAssign):
            return self.assignment(s, s.target, s.value, s.op)
        if isinstance(s, ast.Return) and s.value is not None:
            return self.returned(s)
        return [s]

    def loop(self, s):
        arguments = getattr(s.iter, "args", [])
        is_counted = isinstance(s.target, ast.Name) and 1 <= len(arguments) <= 3
        if is_counted:
            start, stop = (number(0), arguments[0]) if len(arguments) == 1 else arguments[:2]
            if len(arguments) == 3 and isinstance(arguments[2], ast.UnaryOp):  # downwards
                start, stop = plus(stop, number(1)), plus(start, number(1))
            self.active.append((s.target.id, (start, stop)))
        body = self.rewritten(s.body)
        if is_counted:
            self.active.pop()
        return [ast.For(s.target, s.iter, body, s.orelse)]

    def returned(self, s):
        before = []
        several = isinstance(s.value, ast.Tuple)
        values = [self.named_value(self.prepared(v, before, len(self.shape(v))), before)
                  if not isinstance(v, ast.Name) and (self.shape(v) or self.has_products(v)) else v
                  for v in (s.value.elts if several else [s.value])]
        return before + [ast.Return(ast.Tuple(values, ast.Load()) if several else values[0])]

    def named_value(self, node, before):
        """An expression's value under a name of its own."""
        if not self.shape(node):
            return self.at(node, [], before)
        name = self.fresh("T")
        before.extend(self.assignment(node, variable(name), node, None))
        return variable(name)

    def prepared(self, node, before, rank):
        """An expression for a statement over so many dimensions: what has fewer and takes loops of its own is computed
        before, and so are operands of products that take loops themselves and expressions that are subscripted."""
        if isinstance(node, ast.Subscript) and not self.is_shape(node.value):
            base = node
            while isinstance(base.value, ast.Subscript):
                base = base.value
            if not isinstance(base.value, ast.Name):
                base.value = self.named_value(self.prepared(base.value, before, len(self.shape(base.value))), before)
            return node
        sides = self.operands_of_product(node)
        if sides:
            simple = [self.named_value(side, before) if self.has_products(side) else side for side in sides]
            node = operation(simple[0], ast.MatMult(), simple[1])
        else:
            for field, value in ast.iter_fields(node):
                if isinstance(value, ast.expr):
                    setattr(node, field, self.prepared(value, before, rank))
                elif isinstance(value, list):
                    setattr(node, field, [self.prepared(v, before, rank) if isinstance(v, ast.expr) else v for v in value])
        takes_loops = bool(sides) or (isinstance(node, ast.Call) and self.reduced(node) is not None)
        return self.named_value(node, before) if takes_loops and len(self.shape(node)) < rank else node

    def has_products(self, node):
        return any(self.operands_of_product(n) or (isinstance(n, ast.Call) and self.reduced(n)) for n in ast.walk(node))

    def assignment(self, s, target, value, operator):
        if isinstance(value, ast.Call) and name_of(value) in MAKERS and isinstance(target, ast.Name):
            self.note_made(target.id, made_extents(value) or [number(1)])
            return [s]
        if isinstance(value, ast.Call) and name_of(value) in MAKERS_LIKE and isinstance(target, ast.Name):
            return self.made_like(target, value)
        if isinstance(value, ast.Call) and name_of(value) in ("copy", "array", "asarray") and not value.keywords:
            value = value.args[0] if value.args and self.shape(value.args[0]) else getattr(value.func, "value", value)
        if self.is_shape(value) or not (self.shape(target) or self.shape(value) or self.has_products(value)):
            return [s]
        before = []
        value = self.prepared(value, before, max(len(self.shape(target)), len(self.shape(value))))
        extents = self.shape(target)
        if isinstance(target, ast.Name) and self.shape(value) and target.id not in self.existing:
            extents = self.shape(value)
            before.append(self.maker(target.id, extents))
        elif not extents and self.shape(value):
            raise Unsupported(s, f"'{ast.unparse(target)[:40]}' is one element, its value an array", "name a slice")
        if self.overwrites_what_it_reads(target, value):
            value = self.copied(value, before)
        return before + self.elements(target, value, operator, extents)

    def widest(self, extent):
        """An extent with the loop variables around at the values for which it is largest."""
        for counter, (start, stop) in reversed(self.active):
            terms = linear(extent)
            node, factor = terms.get(ast.dump(variable(counter)), (None, 0))
            if factor:
                at = minus(stop, number(1)) if factor > 0 else start
                extent = plus(minus(extent, operation(number(factor), ast.Mult(), node)),
                              operation(number(factor), ast.Mult(), at) if factor != 1 else at)
                extent = simplified(extent)
        return extent

    def note_made(self, name, extents):
        self.rank[name] = len(extents)
        self.lengths[name] = extents
        self.existing.add(name)

    def maker(self, name, extents):
        self.note_made(name, extents)
        extents = [self.widest(e) for e in extents]
        call = ast.Call(ast.Attribute(variable("np"), "empty", ast.Load()), [ast.Tuple(extents, ast.Load())], [])
        return ast.Assign([variable(name)], call)

    def made_like(self, target, value):
        extents = self.shape(value.args[0])
        start = {"zeros_like": number(0.0), "ones_like": number(1.0)}.get(name_of(value))
        made = [self.maker(target.id, extents)]
        return made if start is None else made + self.elements(target, start, None, extents)

    def copied(self, value, before):
        extents = self.shape(value)
        if not extents:
            return value
        name = self.fresh("T")
        before.append(self.maker(name, extents))
        before.extend(self.elements(variable(name), value, None, extents))
        return variable(name)

    def elements(self, target, value, operator, extents):
        """The loops that set every element of the target, or add to it."""
        ranges = self.ranges(target)
        counters = self.counters(extents)
        at = self.indices(counters, ranges)
        inside = []
        place = self.at(target, at, inside) if extents else target
        product = self.operands_of_product(value)
        adds = isinstance(operator, (ast.Add, ast.Sub))
        if product and (adds or operator is None) and len(self.shape(value)) == len(extents):
            body = self.added_in_place(place, product, at, operator)
        else:
            right = self.at(value, at, inside)
            body = inside + [ast.Assign([place], right) if operator is None else ast.AugAssign(place, operator, right)]
        self.release(counters)
        return self.loops(counters, ranges, body)

    def added_in_place(self, place, sides, at, operator):
        """C[i, j] = 0; C[i, j] += A[i, k] * B[k, j] over k."""
        left, right = sides
        rows = len(self.shape(left)) - 1
        ranges = self.ranges(left)[-1:]
        counters = self.counters(ranges)
        k = self.indices(counters, ranges)
        inside = []
        a, b = self.at(left, at[:rows] + k, inside), self.at(right, k + at[rows:], inside)
        step = ast.AugAssign(place, operator or ast.Add(), operation(a, ast.Mult(), b))
        self.release(counters)
        loop = self.loops(counters, ranges, inside + [step])
        return loop if operator is not None else [ast.Assign([place], number(0.0))] + loop

    # --- what a statement overwrites

    def overwrites_what_it_reads(self, target, value):
        """Whether an element may be read after the statement's loops have set it."""
        if isinstance(target, ast.Name) and not self.rank.get(target.id):
            return False
        name, parts = self.base_and_indices(target)
        for read in self.reads_of(value, name):
            if not self.is_safe(name, parts, *read):
                return True
        return False

    def reads_of(self, node, name, moved=False):
        """Subscripts of the reads of an array, and whether its elements move (products, transposition, sums)."""
        if isinstance(node, ast.Subscript) and not self.is_shape(node.value):
            base, indices = self.base_and_indices(node)
            return [(indices, moved)] if base == name else []
        if isinstance(node, ast.Name):
            return [([ast.Slice() for _ in range(self.rank.get(name, 0))], moved)] if node.id == name else []
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            return []
        moves = moved or bool(self.operands_of_product(node)) or (isinstance(node, ast.Attribute) and node.attr == "T") \
            or (isinstance(node, ast.Call) and (self.reduced(node) is not None or name_of(node) in ("transpose", "outer")))
        return [r for child in ast.iter_child_nodes(node) for r in self.reads_of(child, name, moves)]

    def is_safe(self, name, written, read, moved):
        same_place = not moved
        for d, (w, r) in enumerate(zip(*([p for p in parts if not is_new_axis(p)] for parts in (written, read)))):
            w_slice, r_slice = isinstance(w, ast.Slice), isinstance(r, ast.Slice)
            if self.are_apart(name, d, w, r):
                return True
            if w_slice and r_slice:
                same_place = same_place and ast.dump(w) == ast.dump(r)
            elif w_slice != r_slice:
                same_place = False
        return same_place

    def are_apart(self, name, d, w, r):
        """Whether two subscripts of one dimension have no element in common, as far as numbers show."""
        def low_high(part):
            if isinstance(part, ast.Slice):
                start, stop, _ = self.bounds(name, d, part)
                return start, stop
            at = self.position(name, d, part)
            return at, plus(at, number(1))
        (w_low, w_high), (r_low, r_high) = low_high(w), low_high(r)
        gaps = (difference(w_low, r_high), difference(r_low, w_high))
        return any(g is not None and g >= 0 for g in gaps)
