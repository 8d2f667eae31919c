# SPDX-License-Identifier: BSD-3-Clause
"""What `redblue measure` makes of kernels/, kept as C files and compiled here."""
import json
import os
import subprocess
import sys

# PolyBench's LARGE, with fewer time steps.
SIZES = {
    "2mm": "NI=800,NJ=900,NK=1100,NL=1200",
    "3mm": "NI=800,NJ=900,NK=1000,NL=1100,NM=1200",
    "adi": "N=1000,T=20",
    "atax": "M=1900,N=2100",
    "bicg": "M=1900,N=2100",
    "cholesky": "N=2000",
    "correlation": "M=1200,N=1400",
    "covariance": "M=1200,N=1400",
    "deriche": "W=4096,H=2160",
    "doitgen": "NQ=140,NR=150,NP=160",
    "durbin": "N=2000",
    "fdtd-2d": "T=50,NX=1000,NY=1200",
    "floyd-warshall": "N=1000",
    "gemm": "NI=1000,NJ=1100,NK=1200",
    "gemver": "N=2000",
    "gesummv": "N=1300",
    "gramschmidt": "M=1000,N=1200",
    "heat-3d": "T=50,N=120",
    "jacobi-1d": "T=500,N=200000",
    "jacobi-2d": "T=50,N=1300",
    "lu": "N=2000",
    "ludcmp": "N=1000",
    "mvt": "N=2000",
    "nussinov": "N=1000",
    "seidel-2d": "T=20,N=2000",
    "symm": "M=1000,N=1200",
    "syr2k": "M=1000,N=1200",
    "syrk": "M=1000,N=1200",
    "trisolv": "N=2000",
    "trmm": "M=1000,N=1200",
}
FLAGS = ["-O3", "-march=native"]
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_SECONDS = 300  # to compile one kernel


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def scheduled(redblue, kernel, folder, *options):
    """Runs `redblue measure` and keeps driver.c, original.c and scheduled.c; its JSON."""
    compiler = f"{folder}/cc"
    with open(compiler, "w") as script:
        script.write(f'#!/bin/sh\nfor a; do case "$a" in *.c) cp "$a" "{folder}/" ;; esac; done\nexec gcc "$@"\n')
    os.chmod(compiler, 0o755)
    done = run([redblue, "measure", f"{ROOT}/kernels/{kernel}.c", "--set", SIZES[kernel], "--repeat", "3", "--walk", "0",
                "--fresh", "--json", *options], env={**os.environ, "CC": compiler})
    if done.returncode not in (0, 1):
        sys.exit(f"{os.path.basename(sys.argv[0])}: {kernel}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def compiled(command, source, name, function, target, more=()):
    done = run([*command, *more, f"-D{function}={name}", f"-I{ROOT}/kernels", "-std=gnu11", "-w", "-c", source, "-o", target],
               timeout=MOST_SECONDS)
    return done.returncode == 0
