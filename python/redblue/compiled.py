# SPDX-License-Identifier: BSD-3-Clause
"""C made of Python functions, compiled by the machine's compiler, kept from one process to the next."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import re
import shlex
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

from . import _analysis
from .errors import Error, error

# Bits as Python computes them: no contraction, and the C library's functions where the compiler would put others.
FLAGS = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-std=gnu11", "-w", "-fPIC", "-shared"] + [
    "-fno-builtin-" + name for name in ("pow exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh "
                                        "tanh erf erfc cbrt hypot fmod fma").split()]


@dataclass(frozen=True)
class Parameter:
    """Of the C function: an array (rank > 0), a whole number or a number."""

    name: str
    type: str  # "int" or "double"
    rank: int


def parameters_of(code: str, function: str) -> List[Parameter]:
    """The parameters of a translated function."""
    head = re.search(rf"^void {re.escape(function)}\((.*?)\) \{{", code, re.M)
    if head is None:
        raise error(f"the function {function}", "its C has another form", "report this")
    result = []
    for part in head.group(1).split(", "):
        found = re.fullmatch(r"(int|double) (\**)(\w+)", part)
        if found:
            result.append(Parameter(found.group(3), found.group(1), len(found.group(2))))
    return result


def _as_memory(line: str, name: str, extents: List[str]) -> str:
    """An array of the function's own, on the heap."""
    inner = "".join(f"[{e}]" for e in extents[1:])
    size = " * ".join(f"(unsigned long)({e})" for e in extents)
    pointer = f"(*{name}){inner}" if inner else f"*{name}"
    return (f"__attribute__((cleanup(redblue_free))) double {pointer} = calloc({size} + 1, sizeof(double)); "
            f"if ({name} == 0) {{ *redblue_failed = 1; return; }}")


def with_contiguous_arrays(code: str, function: str, parameters: List[Parameter], returned: List[str]) -> str:
    """The translated function with contiguous arrays for tables of rows, their extents first; numbers that it returns are
    stored in redblue_result."""
    given = [f"int redblue_extent_{p.name}_{d}" for p in parameters for d in range(1, p.rank)]
    for p in parameters:
        if p.rank:
            inner = "".join(f"[redblue_extent_{p.name}_{d}]" for d in range(1, p.rank))
            given.append(f"double {p.name}[restrict]{inner}" if inner else f"double *restrict {p.name}")
        else:
            given.append(f"{p.type} {p.name}")
    given += ["double *restrict redblue_result", "int *restrict redblue_failed"]
    text = re.sub(rf"^void {re.escape(function)}\(.*?\) \{{", f"void redblue_kernel({', '.join(given)}) {{", code, flags=re.M)
    results = " ".join(f"redblue_result[{i}] = {name};" for i, name in enumerate(returned))
    text = re.sub(r"return redblue_returned\(.*?\);", f"{{ {results} return; }}", text)
    declared = re.compile(r"^(\s*)double (\w+)((?:\[[^;=]*\])+);", re.M)
    text = declared.sub(lambda m: m.group(1) + _as_memory(m.group(0), m.group(2), re.findall(r"\[((?:[^\[\]])*)\]", m.group(3))),
                        text)
    return "#include <stdlib.h>\nstatic void redblue_free(void *at) { free(*(void **)at); }\n" + text


def compiler() -> List[str]:
    """The environment's CC, else cc."""
    return shlex.split(os.environ.get("CC") or "cc")


@functools.lru_cache(maxsize=None)
def _identity_of(command: Tuple[str, ...]) -> str:
    """The compiler and the processor, for which code was compiled."""
    try:
        said = subprocess.run(list(command) + ["--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as e:
        raise error("the C compiler", f"'{command[0]}' cannot be started", "let the environment's CC name one") from e
    processor = ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            processor = "".join(line for line in info.read().split("\n\n")[0].splitlines(True)
                                if line.startswith(("model name", "flags", "Features", "CPU part")))
    except OSError:
        pass
    return said + processor + " ".join(FLAGS)


def _identity() -> str:
    return _identity_of(tuple(compiler()))


def folder() -> str:
    """Where compiled code is kept: kernels/ in $REDBLUE_CACHE_DIR, $XDG_CACHE_HOME/redblue or ~/.cache/redblue. Nobody but
    its owner may write there: what lies there is run."""
    base = _analysis.cache_folder()
    if not base:
        raise error("compiled kernels", "no folder to keep them in", "set REDBLUE_CACHE_DIR or HOME")
    path = os.path.join(base, "kernels")
    os.makedirs(path, mode=0o700, exist_ok=True)
    found = os.stat(path)
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise error(f"compiled kernels in {path}", "others may write there", "chmod 700 it, or set REDBLUE_CACHE_DIR")
    return path


def _trusted(path: str) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _compile(code: str, path: str) -> None:
    with tempfile.TemporaryDirectory(prefix=".new-", dir=os.path.dirname(path)) as place:
        source, made = os.path.join(place, "kernel.c"), os.path.join(place, "kernel.so")
        with open(source, "w", encoding="utf-8") as out:
            out.write(code)
        done = subprocess.run(compiler() + FLAGS + ["-o", made, source, "-lm"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            complaint = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
            raise Error(f"the C compiler: {complaint}", "the C compiler", complaint)
        os.chmod(made, 0o700)
        os.replace(made, path)  # in one step: another process may be compiling the same


def remembered(key: str, make: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
    """What make() returned for this key on this processor, in this process or an earlier one."""
    name = hashlib.sha256(f"{_analysis.version}\n{_identity()}\n{key}".encode()).hexdigest()[:40]
    path = os.path.join(folder(), name + ".json")
    if _trusted(path):
        try:
            with open(path, encoding="utf-8") as kept:
                return json.load(kept)
        except (OSError, ValueError):
            pass  # made anew
    made = make()
    with tempfile.TemporaryDirectory(prefix=".new-", dir=os.path.dirname(path)) as place:
        new = os.path.join(place, "order.json")
        with open(new, "w", encoding="utf-8") as out:
            json.dump(made, out)
        os.chmod(new, 0o600)
        os.replace(new, path)
    return made


def load(code: str, parameters: List[Parameter]) -> Tuple["ctypes._FuncPointer", str]:
    """The function redblue_kernel of a C text, and the file it was compiled to, earlier or now."""
    name = hashlib.sha256((_identity() + code).encode()).hexdigest()[:40]
    path = os.path.join(folder(), name + ".so")
    if not _trusted(path):
        _compile(code, path)
    function = ctypes.CDLL(path).redblue_kernel
    extents = [ctypes.c_int for p in parameters for _ in range(1, p.rank)]
    kinds = [ctypes.c_void_p if p.rank else ctypes.c_int if p.type == "int" else ctypes.c_double for p in parameters]
    function.argtypes = extents + kinds + [ctypes.c_void_p, ctypes.c_void_p]
    function.restype = None
    return function, path
