# SPDX-License-Identifier: BSD-3-Clause
"""What the pages' parts share: plans of the command, and tables."""

import json
import os
import subprocess

COMMAND = "redblue"


def redblue(*words):
    done = subprocess.run([COMMAND, *[str(w) for w in words], "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"redblue {' '.join(str(w) for w in words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def on_ranks(ranks, *words):
    """What `mpirun -n RANKS redblue WORDS` prints as JSON; one BLAS thread per rank."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    run = ["mpirun", "--oversubscribe", "-n", str(ranks), COMMAND, *[str(w) for w in words], "--json"]
    done = subprocess.run(run, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(run)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def gemm(shape, ranks, memory=None):
    m, n, k = shape
    limit = [] if memory is None else ["--memory", int(memory)]
    return redblue("plan", "gemm", "-m", m, "-n", n, "-k", k, "-p", ranks, *limit)


def megabytes(words):
    return 8e-6 * words


def short(x):
    """A number in about three digits."""
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)
