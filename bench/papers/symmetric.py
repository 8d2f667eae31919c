# SPDX-License-Identifier: BSD-3-Clause
"""[aldaas2023]: bounds and algorithms for SYRK in their three cases; SYR2K and SYMM, which its conclusion leaves open."""

import math

from plans import gemm, redblue, table

# n1, n2, ranks: 1D where n1 <= n2 and P <= n2 / n1; 2D where n1 > n2 and P <= (n1 / n2)^2, P = c (c + 1); else 3D
CASES = [(512, 65536, 16), (512, 65536, 128), (1024, 262144, 64), (4096, 512, 12), (8192, 512, 56), (16384, 512, 306),
         (4096, 4096, 24), (4096, 4096, 144), (8192, 8192, 1056), (16384, 4096, 4096)]


def theorem_1(n1, n2, p):
    pairs = n1 * (n1 - 1)
    owned = (pairs / 2 + n1 * n2) / p
    if n1 <= n2 and p <= n2 / math.sqrt(pairs):
        return "1D", n1 * n2 / p + pairs / 2 - owned
    if n2 < n1 and p <= pairs / n2 ** 2:
        return "2D", n1 * n2 / math.sqrt(p) + pairs / 2 / p - owned
    return "3D", 1.5 * (pairs * n2 / p) ** (2 / 3) - owned


def primes(most):
    return [c for c in range(2, most) if all(c % d for d in range(2, int(math.sqrt(c)) + 1))]


def algorithms(n1, n2, p):
    """The least that Algorithms 1 to 3 receive (equations 3, 10 and 12 with their lower-order terms) on at most p ranks."""
    best = n1 * (n1 - 1) / 2 * (1 - 1 / p)
    for c in primes(200):
        p1 = c * (c + 1)
        if p1 > p:
            break
        p2 = p // p1
        best = min(best, n1 * n2 / (c * p2) * (1 - 1 / p1) + n1 * n1 / (2 * c * c) * (1 - 1 / p2))
    return best


def syrk_rows():
    rows = []
    for n1, n2, p in CASES:
        case, bound = theorem_1(n1, n2, p)
        plan = redblue("plan", "syrk", "-n", n1, "-k", n2, "-p", p)
        words = plan["words_per_rank"]
        best = algorithms(n1, n2, p)
        whole = gemm((n1, n1, n2), p)["words_per_rank"]
        rows.append([f"{n1} x {n2}", p, case, f"{bound:,.0f}", f"{plan['lower_bound']:,.0f}", f"{best:,.0f}", f"{words:,}",
                     f"{words / best:.3f}", f"{words / bound:.3f}", f"{whole / words:.2f}"])
    return table(["A", "ranks", "case", "Theorem 1", "redblue's bound", "Algorithms 1 to 3", "redblue", "/ algorithms",
                  "/ Theorem 1", "gemm's words / redblue's"], rows)


def other_rows(kernel):
    rows = []
    for n, k, p in CASES:
        plan = redblue("plan", kernel, "-n", n, "-k", k, "-p", p)
        words = plan["words_per_rank"]
        general = 2 * gemm((n, n, k), p)["words_per_rank"] if kernel == "syr2k" else gemm((n, k, n), p)["words_per_rank"]
        rows.append([kernel, f"{n} x {k}", p, f"{plan['lower_bound']:,.0f}", f"{words:,}", f"{words / plan['lower_bound']:.3f}",
                     f"{general / words:.2f}"])
    return rows


def section():
    others = table(["kernel", "n x k", "ranks", "redblue's bound", "redblue", "/ bound", "gemm's words / redblue's"],
                   other_rows("syr2k") + other_rows("symm"))
    return f"""## Symmetric matrices: SYRK, SYR2K, SYMM

### SYRK [aldaas2023, Theorem 1 and Algorithms 1 to 3]

Words that the busiest rank receives, A of n1 x n2. The algorithms need P = c (c + 1) ranks for a prime c, times a number of slices;
where that is not P, ranks are left idle here. "gemm's words": what redblue's plan for the full product moves; the paper's claim is
that SYRK takes half as many.

{syrk_rows()}

### SYR2K and SYMM

The paper's conclusion expects its approach to carry over to these two; redblue's bounds for them are proved in
[parallel_factorizations](methods/parallel_factorizations.md). "gemm's words": two products A B' for SYR2K, one of n x k x n for SYMM.

{others}
"""
