# SPDX-License-Identifier: BSD-3-Clause
"""[kwasniewski2019]: Table 3, Figure 5 (3.5 of the thesis) and the unfavourable number of ranks; CA3DMM's example."""

import math
import statistics

from plans import gemm, megabytes, on_ranks, short, table

CORES = [36 * 2 ** i for i in range(10)]  # 1 to 512 nodes of Piz Daint; the paper names no counts but 18,432
TALL = [p for p in CORES if p >= 2048]    # "the minimum number of cores is 2048"
MEMORY_OF_A_CORE = 64 * 2 ** 30 / 36 / 8
ROOM = 2.5                                # redblue's limit, of S: COSMA's S is room for a block of C, its own data come on top
RPA = 228 / 136 ** 2                      # k = RPA m^2: m = n = 136 w, k = 228 w^2

STRONG = {"square": (16384,) * 3, "largeK": (17408, 17408, 3735552), "largeM": (3735552, 17408, 17408),
          "flat": (131072, 131072, 512)}
OTHERS = ("ScaLAPACK", "CTF", "CARMA")
PRINTED = {  # mean MB per rank: ScaLAPACK, CTF, CARMA, COSMA
    "square": {"strong": (203, 222, 195, 107), "limited": (816, 986, 799, 424), "extra": (303, 350, 291, 151)},
    "largeK": {"strong": (2636, 2278, 659, 545), "limited": (368, 541, 128, 88), "extra": (133, 152, 48, 35)},
    "largeM": {"strong": (3507, 2024, 541, 410), "limited": (989, 672, 399, 194), "extra": (122, 77, 77, 29)},
    "flat": {"strong": (134, 68, 10, 7), "limited": (47, 101, 26, 8), "extra": (15, 15, 10, 3)},
}


def inputs(shape):
    m, n, k = shape
    return m * n + m * k + n * k


def of_size(family, words):
    """The shape of this family whose three matrices have so many elements."""
    def shape(x):
        return {"square": (x, x, x), "largeK": (x, x, RPA * x * x), "largeM": (RPA * x * x, x, x),
                "flat": (x, x, 256)}[family]
    low, high = 1.0, 1e8
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if inputs(shape(middle)) < words else (low, middle)
    return tuple(max(1, round(x)) for x in shape(low))


def cosma(shape, p, s):
    """Equation 5, by the cases of the thesis's Theorem 3.2: its min would always be the second, as if memory were never short."""
    products = math.prod(shape) / p
    return 2 * products / math.sqrt(s) + s if products > s ** 1.5 else 3 * products ** (2 / 3)


def grid_words(shape, grid):
    """Received on a grid that divides everything, each element owned by one of the ranks that need it."""
    m, n, k = shape
    gi, gj, gk = grid
    return (m * k / (gi * gk) * (1 - 1 / gj) + k * n / (gj * gk) * (1 - 1 / gi) + m * n / (gi * gj) * (1 - 1 / gk))


def scalapack(shape, p):
    """A tuned two-dimensional algorithm that leaves the matrix in place for which that is best: the best grid with one part along a side."""
    best = math.inf
    for a in range(1, p + 1):
        if p % a:
            continue
        for grid in ((a, p // a, 1), (a, 1, p // a), (1, a, p // a)):
            best = min(best, grid_words(shape, grid))
    return best


def ctf(shape, p, s):
    """Table 2's 2.5D: c = p S / (mk + nk) replicas, from 1 to p^(1/3)."""
    m, n, k = shape
    c = min(max(1, p * s / (m * k + n * k)), p ** (1 / 3))
    return k * (m + n) / math.sqrt(p * c) + m * n * c / p


def carma(shape, p, s):
    """Table 2's recursive decomposition, on the powers of two that it takes. The table prints min for max: where memory is short
    (S < (mnk/p)^(2/3)) the first term is the larger one, as in the table's own special case of square matrices."""
    products = math.prod(shape) / 2 ** int(math.log2(p))
    return 2 * max(math.sqrt(3) * products / math.sqrt(s), products ** (2 / 3)) + products ** (2 / 3)


def scaled(family, name, p, s):
    return of_size(family, p ** (1 if name == "limited" else 2 / 3) * s)


def memory_of(family, name):
    """S of a scaled scenario, not printed: that for which COSMA's model gives its printed mean."""
    low, high = 1e3, 1e10
    for _ in range(100):
        s = math.sqrt(low * high)
        mean = statistics.mean(megabytes(cosma(scaled(family, name, p, s), p, s)) for p in CORES)
        low, high = (s, high) if mean < PRINTED[family][name][3] else (low, s)
    return s


def scenario(family, name):
    """[(ranks, shape, S of the models, limit of redblue's plan)]"""
    if name == "strong":
        ranks = TALL if family in ("largeK", "largeM") else CORES
        return [(p, STRONG[family], MEMORY_OF_A_CORE, None) for p in ranks]
    s = memory_of(family, name)
    return [(p, scaled(family, name, p, s), s, ROOM * s) for p in CORES]


def table_3():
    rows, worst = [], 0
    for family in STRONG:
        for name in ("strong", "limited", "extra"):
            own, bound, models = [], [], {o: [] for o in OTHERS}
            for p, shape, s, limit in scenario(family, name):
                plan = gemm(shape, p, limit)
                own.append(megabytes(plan["mean_words_per_rank"]))
                bound.append(plan["ratio"])
                models["ScaLAPACK"].append(megabytes(scalapack(shape, p)))
                models["CTF"].append(megabytes(ctf(shape, p, s)))
                models["CARMA"].append(megabytes(carma(shape, p, s)))
            worst = max(worst, *bound)
            printed = PRINTED[family][name]
            mean = statistics.mean(own)
            cells = [family, name, printed[3], short(mean), f"{mean / printed[3]:.2f}", f"{max(bound):.3f}"]
            for o, paper in zip(OTHERS, printed):
                cells += [f"{paper / printed[3]:.2f}", f"{statistics.mean(models[o]) / mean:.2f}"]
            rows.append(cells)
    head = ["shape", "scenario", "COSMA, MB", "redblue, MB", "redblue / COSMA", "largest / bound"]
    for o in OTHERS:
        head += [f"{o} / COSMA, paper", f"{o}'s model / redblue"]
    return table(head, rows), worst


def figure_5():
    n, ranks = 4160, 65  # 4160 = 64 * 65: every grid below divides it
    grids = [(a, b, ranks // (a * b)) for a in range(1, ranks + 1) for b in range(1, ranks + 1) if ranks % (a * b) == 0]
    footprint = lambda g: n * n * (1 / (g[0] * g[2]) + 1 / (g[1] * g[2]) + 1 / (g[0] * g[1]))
    full = min(grids, key=footprint)
    cube = (4, 4, 4)
    plan = gemm((n,) * 3, ranks)
    name = plan["decomposition"]["name"]
    words = plan["words_per_rank"]
    saved = lambda few, many: f"{100 * (1 - few / many):.0f} %"
    run = on_ranks(ranks, "run", "gemm", "-m", 1040, "-n", 1040, "-k", 1040)
    return table(["what", "paper", "redblue", "ratio"], [
        ["best grid of all 65 ranks", "stretched", " x ".join(map(str, full)), ""],
        ["grid with one rank idle", "4 x 4 x 4", " x ".join(map(str, cube)), ""],
        ["more work per rank", "1.5 %", f"{100 * (ranks / 64 - 1):.2f} %", f"{(ranks / 64 - 1) / 0.015:.2f}"],
        ["fewer words that a rank needs", "36 %", saved(footprint(cube), footprint(full)),
         f"{(1 - footprint(cube) / footprint(full)) / 0.36:.2f}"],
        ["fewer words that it receives", "-", saved(grid_words((n,) * 3, cube), grid_words((n,) * 3, full)), ""],
        [f"words received, the plan's own: {name}", "-", f"{words:,}",
         f"{words / grid_words((n,) * 3, cube):.3f} of 4 x 4 x 4's"],
        ["words counted at 1040^3 / predicted", "-", f"{run['max_words_received']:,}",
         f"{run['max_words_received'] / gemm((1040,) * 3, ranks)['words_per_rank']:.3f}"],
    ])


def unfavourable():
    plans = [gemm((16384,) * 3, p) for p in (9216, 9217)]
    rows = [[p, plan["decomposition"]["name"], f"{plan['words_per_rank']:,}", f"{plan['ratio']:.3f}", time, others]
            for p, plan, time, others in zip((9216, 9217), plans, ("142 ms", "142 ms"), ("600 ms", "1613 ms"))]
    rows.append(["ratio", "", f"{plans[1]['words_per_rank'] / plans[0]['words_per_rank']:.3f}", "", "1.00", "2.69"])
    return table(["ranks", "redblue's plan", "words per rank", "/ bound", "COSMA, paper", "CTF, paper"], rows)


def ca3dmm():
    plan = gemm((8000,) * 3, 24)
    run = on_ranks(24, "run", "gemm", "-m", 2000, "-n", 2000, "-k", 2000)
    return table(["24 ranks", "CA3DMM, words / bound", "redblue, words / bound", "ratio", "plan"], [
        ["8000^3, planned", "1.04", f"{plan['ratio']:.3f}", f"{plan['ratio'] / 1.04:.3f}", plan["decomposition"]["name"]],
        ["2000^3, run and counted", "-", f"{run['ratio']:.3f}", "", f"{run['max_words_received']:,} words"]])


def section():
    scenarios, worst = table_3()
    flat = gemm(STRONG["flat"], CORES[-1])
    return f"""## Multiplications: COSMA and CA3DMM

### Twelve scenarios [kwasniewski2019, Table 3]

Mean megabytes that a rank receives, over all numbers of ranks. The paper prints neither these numbers nor, for memories that are
limited, sizes. Here: 1, 2, 4, .. 512 nodes of 36 cores (from 64 on for the tall matrices of strong scaling, as in the paper); strong
scaling at the paper's sizes, 16384^3, 17408^2 x 3,735,552 and 131072^2 x 512; else matrices that fill memories of S words (limited),
or P^(-1/3) of them (extra), with the paper's aspect ratios (k = 228 w^2 for m = n = 136 w; k = 256), and S that for which COSMA's own
model, equation 5, has the printed mean (by the cases of the thesis's Theorem 3.2: the min that the paper prints is always its second
term). So redblue / COSMA compares with the paper's runs in "strong", with its model elsewhere. redblue's plans keep within {ROOM} S, everything counted: a rank owns up to S words and needs room for its block of C.
Ratios of peers: as printed, and of models to redblue. ScaLAPACK's is the best grid with one part along some side (it was tuned by
hand), CTF's and CARMA's are Table 2's.

{scenarios}

"largest / bound" is the plan farthest from its own proved bound. With limited memory the bound lets all {ROOM} S words hold what is
computed with, where a rank keeps S words of input for others: what a block of {ROOM - 1} S moves is sqrt({ROOM} / {ROOM - 1}) =
{math.sqrt(ROOM / (ROOM - 1)):.2f} times it on many ranks.
In "flat, strong" no plan receives the printed mean: even on 18,432 cores the proved bound is {megabytes(flat['lower_bound']):.1f} MB of doubles, and more on fewer.

The largest ratio of all {sum(len(scenario(f, s)) for f in STRONG for s in ("strong", "limited", "extra"))} plans to the proved bound is {worst:.3f}.

### 65 ranks [kwasniewski2019, Figure 5; thesis, Figure 3.5]

{figure_5()}

### 9,216 and 9,217 ranks [kwasniewski2019, section 9]

16384^3. 9,217 = 13 x 709: an algorithm that has to use all ranks stretches its blocks.

{unfavourable()}

### CA3DMM's example

{ca3dmm()}
"""
