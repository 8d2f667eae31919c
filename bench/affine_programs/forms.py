# SPDX-License-Identifier: BSD-3-Clause
"""Sums of size parameters and a number, and expressions that are known to lie between two of them."""


class Form:
    """N + 2 * M - 1: sizes are not negative, so that the form with larger coefficients is larger everywhere."""

    def __init__(self, plus=0, times=None):
        self.plus = plus
        self.times = {p: c for p, c in (times or {}).items() if c != 0}

    def __add__(self, other):
        other = form(other)
        names = list(dict.fromkeys([*self.times, *other.times]))
        return Form(self.plus + other.plus, {p: self.times.get(p, 0) + other.times.get(p, 0) for p in names})

    def __mul__(self, number):
        return Form(self.plus * number, {p: c * number for p, c in self.times.items()})

    def __sub__(self, other):
        return self + form(other) * -1

    def at_least(self, other):
        """The smallest form that is nowhere below either."""
        names = list(dict.fromkeys([*self.times, *other.times]))
        return Form(max(self.plus, other.plus),
                    {p: max(self.times.get(p, 0), other.times.get(p, 0)) for p in names})

    def __str__(self):
        text = ""
        for p, c in self.times.items():
            sign = (" + " if c > 0 else " - ") if text else ("" if c > 0 else "-")
            text += sign + (p if abs(c) == 1 else f"{abs(c)} * {p}")
        if not text:
            return str(self.plus)
        return text + (f" + {self.plus}" if self.plus > 0 else f" - {-self.plus}" if self.plus < 0 else "")


def form(value):
    return value if isinstance(value, Form) else Form(value)


class Counter:
    """A loop variable, or an integer that follows from some: never below `low`, a number, nor above `high`."""

    def __init__(self, name, low, high):
        self.name, self.low, self.high = name, low, form(high)
