# SPDX-License-Identifier: BSD-3-Clause
"""Random affine programs in C. Subscripts stay inside of the arrays at all sizes, as arrays get the extents
that the subscripts reach; integers stay small; no value is read before it is set."""
import re

from affine_programs.forms import Counter, Form, form
from affine_programs.tree import Block, Line, indented

FRACTIONS = ("double", "float")


class Array:
    def __init__(self, name, kind, rank, local, flat):
        self.name, self.kind, self.rank, self.local, self.flat = name, kind, rank, local, flat
        self.extents = [Form(1)] * rank


class Program:
    """The parts of a file; `text` puts them together."""

    def __init__(self, sizes, size_type):
        self.sizes, self.size_type = sizes, size_type
        self.arrays, self.scalars, self.body = [], [], []
        self.declared_before, self.before, self.after, self.region = [], [], [], True
        self.numbers = ["alpha", "beta"]

    def parameters(self):
        """(declaration, name, kind): kind is size, number, or the element type of an array."""
        result = [(f"{self.size_type} {p}", p, "size") for p in self.sizes]
        result += [(f"double {x}", x, "number") for x in self.numbers]
        for a in self.arrays:
            if not a.local:
                result.append((declaration(a), a.name, a.kind))
        return result + [("double out[1]", "out", "double")]

    def text(self):
        lines = ["#include <math.h>", "#define min(a, b) ((a) < (b) ? (a) : (b))",
                 "#define max(a, b) ((a) > (b) ? (a) : (b))", "",
                 f"void f({', '.join(d for d, _, _ in self.parameters())}) {{"]
        lines += ["  " + line for line in self.declared_before]
        for a in self.arrays:
            if a.local:
                lines += local_array(a)
        lines += ["  " + line for line in self.before]
        lines += ["#pragma scop"] * self.region + indented(self.body) + ["#pragma endscop"] * self.region
        lines += ["  " + line for line in self.after] + ["}"]
        arrays = {a.name: a for a in self.arrays}
        return re.sub("«([^»]*)»", lambda m: element(arrays, m[1].split("|")), "\n".join(lines) + "\n")


def element(arrays, parts):
    name, subscripts = parts[0], parts[1:]
    if not arrays[name].flat:
        return name + "".join(f"[{s}]" for s in subscripts)
    place = subscripts[0]
    for extent, subscript in zip(arrays[name].extents[1:], subscripts[1:]):
        place = f"({place}) * ({extent}) + {subscript}"
    return f"{name}[{place}]"


def declaration(array):
    if array.flat or (array.rank == 1 and array.extents[0].plus % 2):
        return f"{array.kind} *{array.name}"
    return f"{array.kind} {array.name}" + "".join(f"[{e}]" for e in array.extents)


def local_array(array):
    counters = [f"p{d}" for d in range(array.rank)]
    extents = "*".join(f"({e})" for e in array.extents)
    lines = [f"  {array.kind} {array.name}" +
             (f"[{extents}];" if array.flat else "".join(f"[{e}]" for e in array.extents) + ";")]
    for d, p in enumerate(counters):
        lines.append("  " * (d + 1) + f"for (int {p} = 0; {p} < {array.extents[d]}; {p}++)")
    value = " + ".join(f"{d + 2} * {p}" for d, p in enumerate(counters))
    value = f"({value}) % 7" if array.kind not in FRACTIONS else f"0.5 + 0.0625 * (({value}) % 9)"
    return lines + ["  " * (array.rank + 1) + f"«{array.name}|{'|'.join(counters)}» = {value};"]


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.program = Program(rng.sample(["N", "M", "K"], rng.choice([1, 2, 2, 3])),
                               rng.choice(["int", "int", "int", "long"]))
        self.temporaries = 0
        # Strides, remainders, unions: what makes sets of integers hard, so that a program has few of them.
        self.hard = rng.choice([0, 0, 1, 1, 2])
        self.left = rng.choice([2, 3, 3, 4, 5])  # statements, about
        self.old_counters = rng.random() < 0.15   # int i, j, k; in front, as in C89
        self.ranks = [rng.choice([1, 2, 2, 2, 3]) for _ in range(rng.choice([2, 3, 3, 4]))]
        for n, rank in enumerate(self.ranks):
            kind = rng.choice(["double"] * 6 + ["float", "float", "int", "int", "unsigned"])
            self.program.arrays.append(Array("ABCD"[n], kind, rank, n > 0 and rng.random() < 0.15,
                                             rank > 1 and rng.random() < 0.1))
        for n in range(rng.choice([0, 0, 1, 2])):
            self.program.scalars.append("sr"[n])
            self.program.before.append(f"double {'sr'[n]} = 0.{n + 1}25;")

    def one_in(self, n):
        return self.rng.randrange(n) == 0

    def may_be_hard(self, n):
        """Once in n times, while there is something left of what a program may have."""
        if self.hard == 0 or not self.one_in(n):
            return False
        self.hard -= 1
        return True

    def generate(self):
        for _ in range(self.rng.choice([1, 1, 2, 2, 3])):
            if self.left <= 0:
                break
            pattern = self.rng.choice([self.nest] * 5 + [self.stencil, self.product, self.triangular, self.sweep])
            self.program.body += pattern()
        if self.old_counters:
            used = "\n".join(indented(self.program.body))
            names = [c for c in "ijklt" if re.search(rf"\b{c} = ", used)]
            if names:
                self.program.declared_before.append(f"int {', '.join(names)};")
        for s in self.program.scalars:
            if self.one_in(2):
                self.program.after.append(f"out[0] += {s};")
        for a in self.program.arrays:
            a.extents = [e + self.rng.choice([0, 0, 0, 1, 2]) for e in a.extents]
            if a.local and self.one_in(3):
                self.program.after.append(f"out[0] += «{a.name}{'|0' * a.rank}»;")
        self.program.region = not self.one_in(12) or bool(self.program.after or self.program.before)
        self.program.region = self.program.region or any(a.local for a in self.program.arrays)
        return self.program

    # Loops.

    def size(self):
        return Form(0, {self.rng.choice(self.program.sizes): 1})

    def begin(self, outer):
        """Text and a number it is never below."""
        if outer and self.one_in(4):
            v = self.rng.choice(outer)
            plus = self.rng.choice([0, 0, 1, 1, 2, -1])
            if self.may_be_hard(5):
                return f"max({self.rng.randrange(3)}, {v.name} - 2)", max(0, v.low - 2)
            return str(Form(plus, {v.name: 1})), v.low + plus
        if self.may_be_hard(12):
            return f"{self.size()} / 2", 0
        low = self.rng.choice([0, 0, 0, 0, 1, 1, 2])
        return str(low), low

    def end(self, outer):
        """Text of an end that is not reached, and a form it is never above."""
        size = self.size()
        if outer and self.one_in(3):
            v = self.rng.choice(outer)
            name, plus = Form(0, {v.name: 1}), self.rng.choice([0, 1, 1, 2, 3])
            kind = self.rng.randrange(4)
            if kind == 0:
                return str(size - name), size - v.low
            if kind == 1 and self.may_be_hard(2):
                return f"min({size}, {name + plus})", size
            if kind == 2 and self.one_in(2):
                return str(name + size), v.high + size
            return str(name + plus), v.high + plus
        if self.one_in(10):
            number = self.rng.choice([3, 4, 6])
            return str(number), form(number)
        if len(self.program.sizes) > 1 and self.may_be_hard(10):
            one, two = self.rng.sample(self.program.sizes, 2)
            return f"min({one}, {two} + 1)", Form(0, {one: 1})
        end = size + self.rng.choice([0, 0, 0, 0, -1, -1, -2, 1])
        return str(end), end

    def loop(self, name, outer, low=None, end=None):
        """The head of a loop and its counter."""
        (low, least), (end, most) = low or self.begin(outer), end or self.end(outer)
        step = self.rng.choice([2, 2, 3]) if self.may_be_hard(4) else 1
        kind = "" if self.old_counters else self.rng.choice(["int "] * 8 + ["long "])
        by = f"{name}++" if step == 1 else f"{name} += {step}"
        if self.one_in(6):
            first = tidy(f"{end} - 1")
            by = by.replace("++", "--").replace("+=", "-=")
            head = f"for ({kind}{name} = {first}; {name} >= {low}; {by})"
        elif self.one_in(5):
            head = f"for ({kind}{name} = {low}; {name} <= {tidy(f'{end} - 1')}; {by})"
        else:
            head = f"for ({kind}{name} = {low}; {name} < {end}; {by})"
        return head, Counter(name, least, most - 1)

    def nest(self):
        return self.inside([], self.rng.choice([1, 2, 2, 3, 3, 4]))

    def inside(self, outer, deeper):
        """Nodes inside of loops: `deeper` more loops around the innermost."""
        if deeper == 0:
            return [self.statement(outer) for _ in range(self.rng.choice([1, 1, 1, 2]))]
        if outer and self.left > 1 and self.one_in(9):
            return self.with_sum(outer)
        if outer and self.left > 1 and self.one_in(12):
            return self.with_row(outer)
        nodes = [self.statement(outer)] if outer and self.left > 1 and self.one_in(4) else []
        head, counter = self.loop("ijkl"[len(outer)], outer)
        inner = outer + [counter]
        body = self.inside(inner, deeper - 1)
        if self.one_in(6):
            body = [self.condition(inner, body)]
        if self.one_in(12):
            name = f"c{len(inner)}"
            body = [Line(f"int {name} = {Form(0, {counter.name: -1}) + counter.high};"),
                    self.statement(inner + [Counter(name, 0, counter.high - counter.low)])] + body
        nodes.append(Block(head, body))
        if self.left > 0 and self.one_in(4):
            nodes += self.inside(outer, self.rng.randrange(deeper)) if outer else [self.statement(outer)]
        return nodes

    def condition(self, outer, body):
        v, w = self.rng.choice(outer).name, self.rng.choice(outer).name
        tests = [f"{v} <= {w} + 1", f"{v} + {w} < {self.size()}", f"{v} > 1 && {w} < 5", f"{self.size()} > 4"]
        if self.may_be_hard(2):
            tests = [f"{v} != {w} + 1", f"{v} % 2 == 0", f"{v} == 0 || {w} >= 3", f"2 * {v} < {self.size()} + {w}",
                     f"!({v} == 2)"]
        test = self.rng.choice(tests)
        return Block(f"if ({test})", body, [self.statement(outer)] if self.one_in(3) else None)

    # Patterns that a schedule changes most.

    def stencil(self):
        """Steps of a stencil in one or two dimensions, with or without a second array."""
        self.left -= 2
        kind, rank = self.rng.choice(FRACTIONS), self.rng.choice([1, 1, 2])
        end = self.size() - 1
        counters = [Counter("ij"[d], 1, end - 1) for d in range(rank)]
        two = self.one_in(2)
        first, second = self.array(kind, rank), self.array(kind, rank)
        target = second if two else first
        shifts = [[0] * rank] + [[s * (d == e) for e in range(rank)] for d in range(rank) for s in (-1, 1)]
        weights = f"{self.rng.choice([0.2, 0.25, 0.125])}"
        value = " + ".join(self.at(first, counters, shift) for shift in shifts)
        update = self.nested(counters, end, Line(f"{self.at(target, counters)} = {weights} * ({value});"))
        back = self.nested(counters, end, Line(f"{self.at(first, counters)} = {self.at(target, counters)};"))
        steps = self.rng.choice(["3", "5", str(self.size())])
        declared = "" if self.old_counters else "int "
        return [Block(f"for ({declared}t = 0; t < {steps}; t++)", update + (back if two else []))]

    def nested(self, counters, end, node):
        declared = "" if self.old_counters else "int "
        nodes = [node]
        for c in reversed(counters):
            nodes = [Block(f"for ({declared}{c.name} = {c.low}; {c.name} < {end}; {c.name}++)", nodes)]
        return nodes

    def product(self):
        """Sums of products, with operands turned and the loops in any order."""
        self.left -= 1
        kind = self.rng.choice(FRACTIONS)
        c, a, b = (self.array(kind, 2) for _ in range(3))
        loops, counters = [], {}
        order = self.rng.sample("ijk", 3)
        for n, name in enumerate(order):
            outer = [counters[o] for o in order[:n]]
            end = (f"{outer[-1].name} + 1", outer[-1].high + 1) if outer and self.one_in(4) else None
            size = self.size()
            head, counters[name] = self.loop(name, outer, ("0", 0), end or (str(size), size))
            loops.append(head)
        i, j, k = (counters[n] for n in "ijk")
        left = self.at(a, self.rng.choice([[i, k], [k, i]]))
        right = self.at(b, self.rng.choice([[k, j], [j, k], [k, i]]))
        times = self.rng.choice(["", "alpha * ", "0.5 * "])
        nodes = [Line(f"{self.at(c, [i, j])} {self.rng.choice(['+=', '-='])} {times}{left} * {right};")]
        for head in reversed(loops):
            nodes = [Block(head, nodes)]
        return nodes

    def triangular(self):
        """A factorisation's loops: later rows need earlier ones."""
        self.left -= 2
        kind = self.rng.choice(FRACTIONS)
        a, size = self.array(kind, 2), self.size()
        k = Counter("k", 0, size - 1)
        i, j = Counter("i", 1, size - 1), Counter("j", 1, size - 1)
        at = self.at
        declared = "" if self.old_counters else "int "
        inner = [Block(f"for ({declared}j = k + 1; j < {self.rng.choice([str(size), 'i + 1'])}; j++)",
                       [Line(f"{at(a, [i, j])} -= 0.125 * {at(a, [i, k])} * "
                             f"{at(a, self.rng.choice([[k, j], [j, k]]))};")])]
        body = [Line(f"{at(a, [i, k])} = {at(a, [i, k])} * 0.5 + {at(a, [k, k])};")] if self.one_in(2) else []
        rows = Block(f"for ({declared}i = k + 1; i < {size}; i++)", body + inner)
        first = [Line(f"{at(a, [k, k])} = sqrt(fabs({at(a, [k, k])}));")] if self.one_in(2) else []
        return [Block(f"for ({declared}k = 0; k < {size}; k++)", first + [rows])]

    def sweep(self):
        """Forwards, then back, along one dimension."""
        self.left -= 2
        rank = self.rng.choice([1, 2])
        a, b = self.array("double", rank), self.array("double", rank)
        size = self.size()
        declared = "" if self.old_counters else "int "
        i, j = Counter("i", 0, size - 1), Counter("j", 1, size - 1)
        inside = [i, j] if rank == 2 else [j]
        before = [[0, -1], [0, 1]] if rank == 2 else [[-1], [1]]
        nodes = [Block(f"for ({declared}j = 1; j < {size}; j++)",
                       [Line(f"{self.at(a, inside)} = 0.5 * {self.at(a, inside, before[0])} + "
                             f"{self.at(b, inside)};")]),
                 Block(f"for ({declared}j = {size - 2}; j >= 1; j--)",
                       [Line(f"{self.at(b, inside)} = {self.at(a, inside)} - 0.25 * "
                             f"{self.at(b, inside, before[1])};")])]
        return [Block(f"for ({declared}i = 0; i < {size}; i++)", nodes)] if rank == 2 else nodes

    def with_sum(self, outer):
        """A temporary scalar that collects a sum, a product, or the largest."""
        self.temporaries += 1
        name = self.rng.choice(["sum", f"x{self.temporaries}"])
        head, counter = self.loop("ijkl"[len(outer)], outer)
        value = self.value(FRACTIONS, outer + [counter])
        update = self.rng.choice([f"{name} += {value};", f"{name} *= 0.5 + 0.125 * {value};",
                                  f"{name} = {name} > {value} ? {name} : {value};",
                                  f"{name} = fmin({name}, {value});"])
        target = self.rng.choice(self.program.arrays)
        use = self.assignment(target, outer, name)
        nodes = [Line(f"double {name} = {self.rng.choice(['0', '1.5', self.value(FRACTIONS, outer)])};"),
                 Block(head, [Line(update)]), use]
        return [Block("", nodes)] if name == "sum" else nodes

    def with_row(self, outer):
        """An array that lives in a loop: set, then read."""
        self.temporaries += 1
        row, size = f"w{self.temporaries}", self.size()
        name = "ijkl"[len(outer)]
        head, counter = self.loop(name, outer, ("0", 0), (str(size), size))
        head = f"for ({'' if self.old_counters else 'int '}{name} = 0; {name} < {size}; {name}++)"
        inner = outer + [counter]
        read = self.rng.choice([f"{row}[{name}]", f"{row}[{size - 1} - {name}]"])
        return [Line(f"double {row}[{size + 1}];"),
                Block(head, [Line(f"{row}[{name}] = {self.value(FRACTIONS, inner)};")]),
                Block(head, [self.assignment(self.rng.choice(self.program.arrays), inner, read)])]

    # Statements.

    def array(self, kind, rank):
        """An array of this kind; a new one where there is none, or now and then."""
        fitting = [a for a in self.program.arrays if a.kind == kind and a.rank == rank]
        if fitting and not self.one_in(3):
            return self.rng.choice(fitting)
        fresh = Array(f"E{len(self.program.arrays)}", kind, rank, False, False)
        self.program.arrays.append(fresh)
        return fresh

    def reach(self, array, dimension, most):
        array.extents[dimension] = array.extents[dimension].at_least(most + 1)

    def at(self, array, counters, shifts=None):
        """An element whose subscripts are these counters, shifted."""
        parts = []
        for d, c in enumerate(counters):
            shift = shifts[d] if shifts else 0
            self.reach(array, d, c.high + shift)
            parts.append(str(Form(shift, {c.name: 1})))
        return f"«{array.name}|{'|'.join(parts)}»"

    def subscript(self, counters):
        """Text, and a form it is never above; it is never below 0."""
        if not counters or self.one_in(12):
            number = self.rng.randrange(3)
            return str(number), form(number)
        v = self.rng.choice(counters)
        name, kind = Form(0, {v.name: 1}), self.rng.randrange(24)
        w = self.rng.choice(counters)
        if kind == 0:
            return str(Form(0, {v.name: -1}) + v.high), v.high - v.low
        if kind == 1 and v is not w and v.low + w.low >= 0:
            return f"{v.name} + {w.name}", v.high + w.high
        if kind == 2 and v.low >= 0:
            plus = self.rng.randrange(2)
            return str(name * 2 + plus), v.high * 2 + plus
        if kind == 3 and v is not w and v.low >= 0:
            return str(name - Form(0, {w.name: 1}) + w.high), v.high - w.low + w.high
        if kind == 4 and v.low >= 0 and self.may_be_hard(1):
            return self.rng.choice([(f"{v.name} / 2", v.high.at_least(form(0))), (f"{v.name} % 2", form(1))])
        plus = max(self.rng.choice([0, 0, 0, 0, 0, 1, 1, -1, -1, 2]), -v.low)
        return str(name + plus), v.high + plus

    def element(self, array, counters):
        """A random element: mostly of different counters, in their order."""
        order = self.rng.sample(counters, min(array.rank, len(counters)))
        if not self.one_in(4):
            order.sort(key=counters.index)
        parts = []
        for d in range(array.rank):
            text, most = self.subscript([order[d]] if d < len(order) and not self.one_in(8) else counters)
            self.reach(array, d, most)
            parts.append(text)
        return f"«{array.name}|{'|'.join(parts)}»"

    def value(self, kinds, counters):
        """A factor of one of these kinds."""
        fitting = [a for a in self.program.arrays if a.kind in kinds]
        if not fitting or self.one_in(14):
            return self.rng.choice(["0.5", "alpha", "beta"] if kinds == FRACTIONS else ["2", "1"])
        if self.program.scalars and kinds == FRACTIONS and self.one_in(8):
            return self.rng.choice(self.program.scalars)
        return self.element(self.rng.choice(fitting), counters)

    def statement(self, counters):
        if self.program.scalars and self.one_in(10):
            s = self.rng.choice(self.program.scalars)
            return Line(f"{s} = 0.5 * {s} + 0.25 * {self.value(FRACTIONS, counters)};")
        return self.assignment(self.rng.choice(self.program.arrays), counters)

    def assignment(self, array, counters, value=None):
        target = self.element(array, counters)
        self.left -= 1
        if array.kind in FRACTIONS:
            return Line(f"{target} {self.fraction(target, counters, value)};")
        return Line(self.integer(array.kind, target, counters, value))

    def fraction(self, target, counters, value):
        x = value or self.value(FRACTIONS, counters)
        y, z = self.value(FRACTIONS, counters), self.value(FRACTIONS, counters)
        v = self.rng.choice(counters).name if counters else "1"
        return self.rng.choice([f"= {x}", f"= 0.5 * {x} + 0.25 * {y}", f"+= {x} * {y}", f"-= 0.5 * {x} * {y}",
                                f"+= {x}", f"*= 0.75 + 0.125 * {x}", f"= {x} < {y} ? {x} : {y}",
                                f"= fmax({target}, {x})", f"= 0.25 * ({x} + {y} + {z})", f"= {x} + 0.125 * {v}",
                                f"= {v} > 2 ? {x} : {y}", f"= sqrt(fabs({x}) + 1) - {y}", f"+= alpha * {x} * {y}",
                                f"= ({x} + {y}) * {z} - {target} / 3"])

    def integer(self, kind, target, counters, value):
        x, y = self.value((kind,), counters), self.value((kind,), counters)
        v = self.rng.choice(counters).name if counters else "1"
        if value:
            x = f"({kind})fmin(fabs({value}), 9)"
        return self.rng.choice([f"{target} = ({target} + 3 * {x}) % 97;", f"{target} = ({x} + {y}) % 31;",
                                f"{target} = {x} < {y} ? {x} : {y};", f"{target}++;", f"{target} += {x} % 5;",
                                f"{target} = ({x} * 5 + {v} + 2) % 13;",
                                f"{target} = {target} > {x} ? {target} : {x};"])


def tidy(text):
    """"N + 1 - 1" as a person writes it: sums of a number at the end are added up."""
    found = re.fullmatch(r"(.*[^+\-\s(,]) ([+-]) (\d+) - 1", text)
    if found and "(" not in text:
        number = int(found[2] + found[3]) - 1
        return found[1] + (f" + {number}" if number > 0 else f" - {-number}" if number else "")
    return str(int(text[:-4]) - 1) if text[:-4].isdigit() else text


def random_program(rng):
    return Generator(rng).generate()
