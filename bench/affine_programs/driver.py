# SPDX-License-Identifier: BSD-3-Clause
"""Compiles a source and its schedules into one program that calls all of them on the same data and compares
every bit, under sanitizers; and the emitted C by itself for warnings."""
import os
import re
import subprocess

SANITIZED = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FAST = ["-O3", "-march=native"]
COMMON = ["-std=gnu11", "-ffp-contract=off", "-Wall", "-Wextra"]

HEAD = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FILL(T, value) static void fill_##T(T *x, long n, unsigned s) { \
  for (long i = 0; i < n; i++) { s = s * 1103515245u + 12345u; x[i] = (T)(value); } }
#define CHECK(T) static int check_##T(const char *name, const T *x, const T *y, long n) { \
  for (long i = 0; i < n; i++) \
    if (memcmp(x + i, y + i, sizeof *x) && !(x[i] != x[i] && y[i] != y[i])) { \
      printf("bits: %s[%ld] is %.17g, not %.17g\n", name, i, (double)y[i], (double)x[i]); return 1; } \
  return 0; }
FILL(double, 0.5 + (s >> 8) / 33554432.0) FILL(float, 0.5 + (s >> 8) / 33554432.0) FILL(int, (s >> 28) - 4)
FILL(unsigned, s >> 28)
CHECK(double) CHECK(float) CHECK(int) CHECK(unsigned)
"""


def extent(array):
    return "*".join(f"({e})" for e in array.extents)


def driver(program, schedules, sizes):
    """C that includes the source and the schedules, a file each, under names of their own."""
    lines = ["#pragma GCC diagnostic ignored \"-Wunused-function\""]
    for n in range(len(schedules) + 1):
        lines += [f"#define f run{n}", f"#define redblue_double vector{n}", f"#define redblue_float fvector{n}",
                  f"#include \"{'source.c' if n == 0 else schedules[n - 1]}\""]
        lines += [f"#undef {m}" for m in ("f", "redblue_double", "redblue_float")]
    lines += [HEAD, "int main(void) {"]
    lines += [f"  static const int sizes[][{len(program.sizes)}] = {{" +
              ", ".join("{" + ", ".join(map(str, at)) + "}" for at in sizes) + "};",
              f"  for (unsigned c = 0; c < {len(sizes)}; c++) {{"]
    lines += [f"    const {program.size_type} {p} = sizes[c][{d}];" for d, p in enumerate(program.sizes)]
    lengths = {a.name: extent(a) for a in program.arrays if not a.local}
    lengths["out"] = "1"
    arrays = [(name, kind) for _, name, kind in program.parameters() if name in lengths]
    for n in range(len(schedules) + 1):
        for a, (name, kind) in enumerate(arrays):
            lines += [f"    {kind} *{name}{n} = malloc(({lengths[name]}) * sizeof *{name}{n});",
                      f"    fill_{kind}({name}{n}, {lengths[name]}, {a} + c);"]
        arguments = ["(void *)" * (name in lengths) + (f"{name}{n}" if name in lengths else "0.7" if kind == "number"
                     else name) for _, name, kind in program.parameters()]
        lines.append(f"    run{n}({', '.join(arguments)});")
    for n in range(1, len(schedules) + 1):
        for name, kind in arrays:
            lines.append(f"    if (check_{kind}(\"{schedules[n - 1]}: {name}\", {name}0, {name}{n}, {lengths[name]})) "
                         "return 3;")
    for n in range(len(schedules) + 1):
        lines += [f"    free({name}{n});" for name, _ in arrays]
    return "\n".join(lines + ["  }", "  printf(\"same\\n\");", "  return 0;", "}"]) + "\n"


def warnings(text):
    """(file, flag) of each."""
    return set(re.findall(r"^(\S+?):\d+.*warning:.*\[(-W[^\]]*)\]", text, re.M))


def run(command, folder, seconds):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds,
                              env=os.environ | {"ASAN_OPTIONS": "detect_leaks=1"})
    except subprocess.TimeoutExpired:
        return 124, f"more than {seconds} s"
    return done.returncode, done.stdout + done.stderr


def faults(program, schedules, sizes, folder, compilers):
    """(kind, what) of each fault in the schedules, files of the folder; a source that is itself at fault has
    the kind "generator"."""
    with open(f"{folder}/driver.c", "w") as file:
        file.write(driver(program, schedules, sizes))
    found = []
    for compiler, flags in compilers:
        command = [compiler, *flags, *COMMON, "driver.c", "-lm", "-o", "both"]
        status, text = run(command, folder, 300)
        text = re.sub(r"^\./", "", text, flags=re.M)  # clang's way to name a file
        if status != 0:
            errors = [line for line in text.splitlines() if "error" in line or "ld:" in line]
            own = any(line.startswith("source.c") for line in errors)
            found.append(("generator" if own else "compile", f"{compiler}: {(errors or [text])[0]}"))
            continue
        all_warnings = warnings(text)
        usual = {flag for file, flag in all_warnings if file == "source.c"}
        for file, flag in sorted(all_warnings):
            if file not in ("source.c", "driver.c") and flag not in usual:
                line = next(t for t in text.splitlines() if t.startswith(file) and f"[{flag}]" in t)
                found.append(("warning", f"{compiler}: {line}"))
        status, text = run(["./both"], folder, 120)
        if status == 0:
            continue
        report = next((t for t in text.splitlines() if re.search("bits:|runtime error|ERROR: ", t)), text[-300:])
        own = report.startswith("source.c") or re.search(r"#\d+ \S+ in run0\b", text) and "bits:" not in report
        kind = "generator" if own else "bits" if "bits:" in report else "run"
        where = re.search(r"#\d+ \S+ in (run\d+)", text)
        found.append((kind, f"{compiler} {flags[0]}: {report}" + (f" in {where[1]}" if where else "")))
    return found
