#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`redblue trace` of programs whose messages are known: trace_test.py REDBLUE KNOWN_MESSAGES SCALAPACK_PROGRAM LIBREDBLUE_SCALAPACK"""

import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

redblue, known, scalapack, preload = sys.argv[1:]


def run(*words):
    return subprocess.run([redblue, "trace", *words], capture_output=True, text=True, timeout=200)


def expect(condition, what):
    if not condition:
        sys.exit(what)


def known_messages():
    """Every byte, the calls, and the program's exit status."""
    ranks = 4
    done = run("--json", "--", "mpirun", "-n", str(ranks), known)
    expect(done.returncode == 3, f"exit {done.returncode}: {done.stderr}")
    trace = json.loads(done.stdout)
    for rank in range(ranks):
        row = [0] * ranks
        row[(rank + 1) % ranks] = 1000 * (rank + 1) + 2 * 64
        expect(trace["sent_bytes"][rank] == row, f"row {rank}: {trace['sent_bytes'][rank]}, not {row}")
        expect(trace["collective_bytes"][rank] == (800 if rank else 0), f"collectives {trace['collective_bytes']}")
    expect(trace["received_bytes"] == [4128, 1928, 2928, 3928], f"received {trace['received_bytes']}")
    calls = {c["name"]: c for c in trace["calls"]}
    expect(calls["MPI_Start"]["count"] == 2 and calls["MPI_Start"]["bytes"] == ranks * 128, f"{calls}")
    expect(calls["MPI_Bcast"]["bytes"] == 2400 and calls["MPI_Recv"]["count"] == 2, f"{calls}")
    expect(0 < trace["mean_mpi_seconds"] <= trace["seconds"], "seconds")


def a_picture():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/matrix.svg"
        done = run("--plot", path, "--", "mpirun", "-n", "3", known)
        expect(done.returncode == 3 and "1,128" in done.stdout, done.stdout + done.stderr)
        squares = [x for x in xml.etree.ElementTree.parse(path).iter() if x.tag.endswith("rect")]
        expect(len(squares) == 1 + 3 * 3 + 3, f"{len(squares)} squares")


def scalapack_calls():
    """Named, whether ScaLAPACK serves them or redblue, preloaded behind."""
    for words in ([], ["-x", f"LD_PRELOAD={preload}"]):
        done = run("--json", "--", "mpirun", "-n", "4", *words, scalapack, "gemm", "400")
        expect(done.returncode == 0, done.stderr)
        trace = json.loads("{" + done.stdout.split("{", 1)[1])
        regions = {r["name"]: r for r in trace["regions"]}
        expect(regions["pdgemm"]["count"] == 2 and regions["pdgemm"]["bytes"] > 0, f"{regions}")


def bad_input():
    for words, said in (([], "no program after --"), (["--", "no-such-program"], "cannot be started"),
                        (["--", "mpirun", "-n", "2", "true"], "recorded nothing"),
                        (["--library", "/nowhere.so", "--", "true"], "no such library"),
                        (["--plot", "/nowhere/x.svg", "--", "true"], "/nowhere/x.svg")):
        done = run(*words)
        expect(done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1, f"{words}: {done.returncode} {done.stderr}")


known_messages()
a_picture()
scalapack_calls()
bad_input()
