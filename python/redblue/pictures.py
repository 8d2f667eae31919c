# SPDX-License-Identifier: BSD-3-Clause
"""Pictures and tables for notebooks."""

from __future__ import annotations

import html
import os
from typing import Any, Iterable, Sequence, Union


class Picture:
    """An SVG, shown by notebooks; `save` writes it to a file."""

    def __init__(self, svg: str):
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the SVG."""
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.svg)

    def __repr__(self) -> str:
        return f"<redblue.Picture, {len(self.svg)} characters of SVG>"


def words(number: float) -> str:
    """1234567.2 as 1,234,567."""
    return f"{number:,.0f}" if abs(number) < 9e15 else f"{number:.4e}"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """An HTML table; cells that begin with $ are LaTeX."""
    def cells(kind: str, row: Sequence[Any]) -> str:
        return "".join(f"<{kind} style='text-align:left'>{html.escape(str(c))}</{kind}>" for c in row)
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"
