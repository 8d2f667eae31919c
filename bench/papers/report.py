#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/papers.md, on standard output: the papers' headline results beside redblue's.

    . scripts/mpi-environment; bench/papers/report.py BUILD [--no-times] >docs/papers.md      (a few minutes)

Plans at the papers' sizes; runs where they fit. --no-times leaves out what only an idle machine can measure.
"""

import os
import sys

import factorizations
import multiplications
import plans
import symmetric

if len(sys.argv) < 2:
    sys.exit(__doc__)
plans.COMMAND = os.path.abspath(os.path.join(sys.argv[1], "src/cli/redblue"))
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
print("""# The papers' results, and redblue's

Made by `bench/papers/report.py`: each table has the paper's number, redblue's and the ratio. redblue's are plans at full size
(the tests hold plans to counts, to the word for gemm, SYRK and Cholesky, within 2 % for LU), and runs where the text says so.
""")
print(multiplications.section())
print(factorizations.section(run="--no-times" not in sys.argv))
print(symmetric.section(), end="")
