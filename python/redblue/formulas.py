# SPDX-License-Identifier: BSD-3-Clause
"""redblue's formulas as sympy's."""

from __future__ import annotations

import ast
import functools
from typing import Dict, Mapping

import sympy

from . import _analysis

_FUNCTIONS = {"sqrt": sympy.sqrt, "floor": sympy.floor, "ceil": sympy.ceiling, "log2": lambda x: sympy.log(x, 2),
              "min": sympy.Min, "max": sympy.Max}
_OPERATORS = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
              ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a**b}


def symbol(name: str) -> sympy.Symbol:
    """The symbol that formulas have for a name: a number above 0."""
    return sympy.Symbol(name, positive=True)


def _converted(node: ast.AST) -> sympy.Expr:
    if isinstance(node, ast.Expression):
        return _converted(node.body)
    if isinstance(node, ast.Constant):
        return sympy.Integer(node.value) if isinstance(node.value, int) else sympy.Float(node.value)
    if isinstance(node, ast.Name):
        return symbol(node.id[:-1] if node.id.endswith("_") and node.id[:-1] in _KEYWORDS else node.id)
    if isinstance(node, ast.UnaryOp):
        return -_converted(node.operand) if isinstance(node.op, ast.USub) else _converted(node.operand)
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_converted(node.left), _converted(node.right))
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id  # type: ignore[attr-defined]
        return _FUNCTIONS[name](*[_converted(a) for a in node.args])
    raise TypeError(f"no formula: {ast.dump(node)}")


_KEYWORDS = frozenset(__import__("keyword").kwlist)


@functools.lru_cache(maxsize=4096)
def to_sympy(text: str) -> sympy.Expr:
    """A formula of redblue's, plain infix text, as a sympy expression. Its numbers are exact, its names positive symbols.

    >>> from redblue.formulas import to_sympy
    >>> to_sympy("2*N^3/sqrt(S)")
    2*N**3/sqrt(S)
    """
    return _converted(ast.parse(_analysis.formula_python(text), mode="eval"))


def latex(text: str) -> str:
    r"""A formula for LaTeX's math mode.

    >>> from redblue.formulas import latex
    >>> latex("N/2")
    '\\frac{N}{2}'
    """
    return _analysis.formula_latex(text)


def at(text: str, values: Mapping[str, float]) -> float:
    """The number a formula stands for. Raises Error where a name has no value.

    >>> from redblue.formulas import at
    >>> at("N^2/4", {"N": 6})
    9.0
    """
    numbers: Dict[str, float] = {name: float(value) for name, value in values.items()}
    return _analysis.formula_at(text, numbers)
