# SPDX-License-Identifier: BSD-3-Clause
"""What an analysis reads: a file, a source text, a Python function or an Einstein summation."""

from __future__ import annotations

import ast
import contextlib
import inspect
import operator
import os
import re
import tempfile
import textwrap
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Optional, Union

from . import _analysis
from .errors import Error, error

Analysable = Union[str, "os.PathLike[str]", Callable[..., Any]]
Sizes = Mapping[str, int]

_PROGRAM = re.compile(r"[{};#]|\bdef\b|\bfor\b")
_FILE = re.compile(r"\.(c|cc|cpp|cxx|py|f90|ll|bc)$")


@dataclass(frozen=True)
class Source:
    """A program to read. Of its three parts one is given."""

    label: str          # what messages call it
    file: str = ""
    text: str = ""
    suffix: str = ".c"  # of a file with this text
    einsum: str = ""
    function: str = ""

    @contextlib.contextmanager
    def on_disk(self) -> Iterator[str]:
        """The path of a file with the program, while the context is open; empty for einsums."""
        if not self.text:
            yield self.file
            return
        with tempfile.TemporaryDirectory(prefix="redblue-") as folder:
            path = os.path.join(folder, "source" + self.suffix)
            with open(path, "w", encoding="utf-8") as out:
                out.write(self.text)
            try:
                yield path
            except Error as e:
                if path not in str(e):
                    raise
                parts = [p.replace(path, self.label) for p in (str(e), e.asked, e.found, e.remedy)]
                raise Error(*parts, e.least) from None


def function_text(function: Callable[..., Any]) -> str:
    """A function's source without its decorators, on the lines where it stands in its file."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as e:
        raise error(f"the function {getattr(function, '__name__', function)!s}", "its source cannot be read",
                    "define it in a file or a notebook") from e
    text = textwrap.dedent("".join(lines))
    try:
        definition = ast.parse(text).body[0]
    except SyntaxError as e:
        raise error("a function's source", "it does not stand alone", "use def on lines of its own") from e
    if not isinstance(definition, ast.FunctionDef):
        raise error("a function's source", "this is no def", "write the loops in a function with a name")
    kept = text.splitlines()[definition.lineno - 1:]
    return "\n" * (first + definition.lineno - 2) + "\n".join(kept) + "\n"


def source_of(what: Analysable, function: str = "") -> Source:
    """What is meant: a callable is a Python function; a path or a text that ends like a file's name is a file; a text of
    several lines, or with what programs have, is a source (of C, or Python where it parses as that); else an einsum."""
    if isinstance(what, Source):
        return what
    if isinstance(what, os.PathLike):
        return Source(label=os.fspath(what), file=os.fspath(what), function=function)
    if callable(what):
        plain = inspect.unwrap(what)
        text = function_text(plain)
        return Source(label=inspect.getsourcefile(plain) or "<function>", text=text, suffix=".py", function=plain.__name__)
    if not isinstance(what, str):
        raise error(f"a bound of {type(what).__name__}", "it is no source",
                    "give a path, a source text, a function or an einsum")
    if "\n" not in what and (_FILE.search(what) or os.path.exists(what)):
        return Source(label=what, file=what, function=function)
    if "\n" in what or (_PROGRAM.search(what) and "->" not in what):
        try:
            ast.parse(textwrap.dedent(what))
            return Source(label="<source>", text=textwrap.dedent(what), suffix=".py", function=function)
        except SyntaxError:
            return Source(label="<source>", text=what, function=function)
    return Source(label=what, einsum=what)


def sizes_of(sizes: Optional[Sizes], more: Mapping[str, Any]) -> Dict[str, int]:
    """Sizes as whole numbers; 1e3 is one. Raises Error for others."""
    result: Dict[str, int] = {}
    for name, value in {**(sizes or {}), **more}.items():
        whole = value
        if isinstance(value, float) and value.is_integer():
            whole = int(value)
        try:
            result[name] = operator.index(whole)
        except TypeError:
            raise error(f"{name}={value!r}", "no whole number", "give one") from None
        if not -2**63 <= result[name] < 2**63:
            raise error(f"{name}={value!r}", "no number of 64 bits", "give a smaller one")
    return result


@contextlib.contextmanager
def request(source: Source, sizes: Mapping[str, int], *, flags: Iterable[str] = (), small: Iterable[str] = (),
            assume: Union[str, Iterable[str]] = (), scratch: Iterable[str] = (), outputs: Iterable[str] = (),
            processors: int = 1) -> Iterator["_analysis.Request"]:
    """The library's request, whose file is there while the context is open."""
    with source.on_disk() as path:
        made = _analysis.Request()
        made.file, made.einsum, made.function = path, source.einsum, source.function
        made.sizes, made.flags, made.small = dict(sizes), list(flags), list(small)
        made.assume = [assume] if isinstance(assume, str) else list(assume)
        made.scratch, made.outputs, made.units = list(scratch), list(outputs), processors
        yield made
