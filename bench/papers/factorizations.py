# SPDX-License-Identifier: BSD-3-Clause
"""[kwasniewski2021, section 4.10]: Figures 4.1 and 4.8 to 4.11, LU and Cholesky."""

from plans import on_ranks, redblue, short, table

RANKS = [4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144]
MEASURED_TO = 1024  # ranks, in the paper
PIZ_DAINT = "machines/piz-daint-xc40.toml"


def plan(kernel, n, p, *more):
    return redblue("plan", kernel, "-n", n, "-p", p, *more)


def models(p):
    return {a["name"]: a["words_per_rank"] for a in p["alternatives"]}


def row(kernel, n, p):
    made = plan(kernel, n, p)
    peers = models(made)
    half = 0.5 if kernel == "cholesky" else 1  # of a symmetric matrix ScaLAPACK and SLATE send half as much
    two = half * peers["2D (ScaLAPACK, SLATE)"]
    own = peers["CONFLUX, CONFCHOX"]
    candmc = peers["CANDMC"] if kernel == "lu" else peers["CAPITAL"]
    words, mean = made["words_per_rank"], made["mean_words_per_rank"]
    return [f"{p:,}", f"{n:,}", short(1e-6 * mean), short(1e-6 * words), short(1e-6 * own), short(1e-6 * two),
            short(1e-6 * candmc), f"{mean / own:.2f}", f"{words / own:.2f}", f"{two / own:.2f}", f"{two / mean:.2f}",
            f"{made['ratio']:.2f}"]


def volumes(kernel, n_of):
    peer, other = ("CONFLUX", "CANDMC") if kernel == "lu" else ("CONFCHOX", "CAPITAL")
    head = ["ranks", "N", "redblue, mean", "worst rank", f"{peer}'s model", "2D model", f"{other}'s model", f"mean / {peer}",
            f"worst / {peer}", f"2D / {peer}", "2D / redblue", "worst / bound"]
    return table(head, [row(kernel, n_of(p), p) for p in RANKS])


def headline():
    at = {}
    for p in (1024, 9216, 262144):
        made = plan("lu", 16384, p)
        peers = models(made)
        two = peers["2D (ScaLAPACK, SLATE)"]
        at[p] = (two / made["mean_words_per_rank"], two / peers["CONFLUX, CONFCHOX"])
    return table(["second-best / CONFLUX at N = 16,384", "paper", "CONFLUX's model", "redblue (mean of ranks)", "redblue / paper"], [
        ["1,024 ranks, measured", "1.42", f"{at[1024][1]:.2f}", f"{at[1024][0]:.2f}", f"{at[1024][0] / 1.42:.2f}"],
        ["9,216 ranks (all of Summit, two a node), predicted", "2.1", f"{at[9216][1]:.2f}", f"{at[9216][0]:.2f}",
         f"{at[9216][0] / 2.1:.2f}"],
        ["262,144 ranks, predicted", "-", f"{at[262144][1]:.2f}", f"{at[262144][0]:.2f}", ""]])


def flops(kernel, n):
    return n ** 3 * (2 / 3 if kernel == "lu" else 1 / 3)


def predicted_peak():
    """Of plans for least time on Piz Daint's machine file: a rank is a core there; the paper has a rank per socket of 18."""
    rows = []
    rate = 5.28e10
    for kernel in ("lu", "cholesky"):
        for what, n_of in (("N = 131,072", lambda p: 131072), ("N = 16,384", lambda p: 16384),
                           ("N = 8,192 sqrt(nodes)", lambda p: round(8192 * (p / 36) ** 0.5 / 64) * 64)):
            cells = [kernel, what]
            for p in (72, 288, 1152, 4608, 18432):
                try:
                    made = plan(kernel, n_of(p), p, "--machine", PIZ_DAINT, "--minimise", "time")
                except RuntimeError:  # it does not fit in the memories
                    cells.append("-")
                    continue
                cells.append(f"{100 * flops(kernel, n_of(p)) / made['predicted_seconds'] / p / rate:.0f}")
            rows.append(cells)
    return table(["kernel", "size", "72 cores, %", "288", "1,152", "4,608", "18,432"], rows)


def measured():
    rows = []
    for kernel, paper in (("lu", 3.0), ("cholesky", 1.8)):
        run = on_ranks(4, "compare", kernel, "-n", 4096, "--repeat", 3)
        speed = run["scalapack"]["median_seconds"] / run["redblue"]["median_seconds"]
        rows.append([kernel, "4", "4,096", f"up to {paper} (beside SLATE)", f"{speed:.2f} (beside ScaLAPACK)", f"{speed / paper:.2f}",
                     f"{run['redblue']['percent_of_peak']:.0f} %"])
    return table(["kernel", "ranks", "N", "faster than the second-best, paper", "here", "ratio", "of peak, here"], rows)


def section(run):
    here = f"""
### Figures 4.1 and 4.10: speed at P = 4, N = 4,096

Measured on this machine, not on Piz Daint, beside ScaLAPACK, which the paper found next to SLATE; [beside_others.md](beside_others.md) has SLATE itself.

{measured()}
""" if run else ""
    return f"""## Factorizations: CONFLUX and CONFCHOX

Words in millions. The paper's volumes are means over the ranks; the models are its Table 4.2, CONFLUX's with the lower-order terms
c N^2 / P of its Lemma 4.10 at the best c up to P^(1/3). 4,096 ranks and more are in the model, there as here. redblue's counts have
all terms: from 1,024 ranks on tournaments, panels' copies and pivots' rows, which the models leave out, are what puts LU above them.

### Figure 4.8a: LU, N = 16,384

{volumes("lu", lambda p: 16384)}

### Figure 4.8b: LU, weak scaling, N = 3200 P^(1/3)

The volume of 2.5D algorithms stays the same, that of 2D algorithms grows.

{volumes("lu", lambda p: round(3200 * p ** (1 / 3)))}

### Figure 4.8c: fewer words than the second-best

{headline()}

### Cholesky, N = 16,384

{volumes("cholesky", lambda p: 16384)}
{here}
### Figures 4.9 and 4.11: % of peak

The figures' curves are not in the text, only "approx. 40 % of hardware peak where N^2 / P > 2^27". What redblue's plans of least time
are predicted to reach on the machine file `{PIZ_DAINT}`, latencies included and nothing overlapped on more than some hundred ranks:

{predicted_peak()}
"""
