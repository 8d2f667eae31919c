#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A ScaLAPACK program with redblue in front of it: not compiled again, nor linked again.
#   examples/preload.sh PROGRAM LIBREDBLUE_SCALAPACK_SO
set -euo pipefail
program=$1
library=$(realpath "$2")

# As it is; then with the library, which says at the end what it served.
mpirun -n 4 "$program"
output=$(mpirun -n 4 -x LD_PRELOAD="$library" -x REDBLUE_REPORT=1 "$program" 2>&1)
echo "$output"
grep -q 'pdgemm served 1 calls' <<<"$output"
