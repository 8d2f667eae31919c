#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/schedules.md (on standard output) and its plots from what two benches keep.

    bench/schedule_traffic REDBLUE --json TRAFFIC
    bench/measured_kernels REDBLUE --pluto PLUTO --json TIMES
    bench/schedules_report.py TRAFFIC TIMES docs >docs/schedules.md
"""
import json
import math
import sys

OTHERS = {"gcc": "gcc", "clang": "clang", "polly": "Polly", "pluto": "Pluto"}

# What keeps a schedule from its bound, for those that stay above 4 times.
REASONS = {
    "fdtd-2d": "cone tiles hold three values of each element; their faces meet the rim of arrays of this size soon",
    "heat-3d": "cells of cone tiles in three dimensions are small, 9 elements on a side in 1,024 words and 27 in 32,768; there the bound is a quarter below its leading term even at EXTRALARGE",
}


def best_moved(found):
    return min((m for m in (found.get("own"), found.get("tiled"), found.get("predicted")) if m is not None), default=None)


def ratio(found):
    moved = best_moved(found)
    return moved / found["bound"] if moved is not None and found.get("bound") else None


def bars(path, title, unit, rows, mark):
    """Dots on a log axis: rows [(name, [(value, colour)])], names on the left, a line at `mark`."""
    values = [v for _, dots in rows for v, _ in dots]
    low, high = min(values + [mark]) / 1.2, max(values + [mark]) * 1.2
    left, right, top, step = 150, 20, 46, 17
    width, height = 760, top + step * len(rows) + 30

    def x(v):
        return left + math.log(v / low) / math.log(high / low) * (width - left - right)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>', f'<text x="{left}" y="18" font-weight="bold">{title}</text>']
    ticks = [b * 10 ** e for e in range(-2, 5) for b in (1, 2, 5) if low <= b * 10 ** e <= high]
    for t in ticks:
        out.append(f'<line x1="{x(t):.1f}" y1="{top - 8}" x2="{x(t):.1f}" y2="{height - 26}" stroke="{"#888" if t == mark else "#ddd"}"/>'
                   f'<text x="{x(t):.1f}" y="{height - 12}" text-anchor="middle">{t:g}{unit}</text>')
    for i, (name, dots) in enumerate(rows):
        y = top + step * i + 8
        out.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{name}</text>')
        for value, colour in dots:
            out.append(f'<circle cx="{x(value):.1f}" cy="{y}" r="4.5" fill="{colour}"><title>{name}: {value:.2f}</title></circle>')
    out.append("</svg>")
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


def traffic(found_all, folder):
    kernels = list(dict.fromkeys(found["kernel"] for found in found_all))
    at = {(found["kernel"], found["s"]): found for found in found_all}
    memories = sorted({found["s"] for found in found_all})
    colours = dict(zip(memories, ("#1d5fb3", "#b3331d")))
    rows = [(k, [(ratio(at[k, s]), colours[s]) for s in memories if (k, s) in at and ratio(at[k, s])]) for k in kernels]
    rows = sorted((row for row in rows if row[1]), key=lambda row: max(v for v, _ in row[1]))
    bars(f"{folder}/schedules-traffic.svg", "words moved / proved bound; blue: S = 1,024, red: S = 32,768", "", rows, 1)
    print("""## Traffic

Words that enter and leave a fast memory of S words in which the value used longest ago makes room (LRU): loads and stores of the
better of the source's order and the one `redblue tile FILE --set SIZES,S=S --for lru --effort 10` finds. Every access was counted
in its turn, or, where moved begins with ~, the number is predicted from walks at smaller sizes or through parts of the order.
*Bound* is proved for these sizes, finite-size terms included. Sizes are PolyBench's LARGE, or EXTRALARGE where the bound is more than
a tenth below its leading term at LARGE and nearer to it there; gramschmidt has few long columns, jacobi-1d and durbin are larger.

![words moved over the bound](schedules-traffic.svg)
""")
    print("| kernel | sizes | " + " | ".join(f"moved, S = {s:,} | bound | ratio" for s in memories) + " |")
    print("| --- | --- |" + " ---: | ---: | ---: |" * len(memories))
    for k in kernels:
        cells = []
        for s in memories:
            found = at.get((k, s), {})
            r = ratio(found) if found else None
            mark = "" if best_moved(found) in (found.get("own"), found.get("tiled")) else "~"
            cells.append(f"{mark}{best_moved(found):,.0f} | {found['bound']:,.0f} | **{r:.2f}**" if r else
                         f"{found.get('error', 'not known')} | | ")
        sizes = {s: at[k, s]["sizes"] for s in memories if (k, s) in at}
        same = len(set(sizes.values())) == 1
        text = next(iter(sizes.values())) if same else "; ".join(f"S = {s:,}: {size}" for s, size in sizes.items())
        print(f"| {k} | {text} | " + " | ".join(cells) + " |")
    print()
    for s in memories:
        ratios = [ratio(at[k, s]) for k in kernels if (k, s) in at and ratio(at[k, s])]
        print(f"S = {s:,}: {sum(r <= 2.2 for r in ratios)} of {len(ratios)} at most 2.2 times their bound, "
              f"{sum(r <= 4 for r in ratios)} at most 4 times; median {sorted(ratios)[len(ratios) // 2]:.2f}.  ")
    far = [k for k in kernels if max((ratio(at[k, s]) or 0 for s in memories if (k, s) in at), default=0) > 4]
    print("\nAbove 4 times:\n")
    for k in far:
        print(f"- {k}: {REASONS.get(k, 'not looked at yet')}.")


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1


def times(found_all, folder):
    def best(found):
        return min(found["seconds"][v] for v in OTHERS if v in found["seconds"])

    rows = [(f["kernel"], [(f["seconds"]["gcc"] / f["seconds"]["redblue"], "#1d5fb3"), (best(f) / f["seconds"]["redblue"], "#b3331d")])
            for f in found_all]
    rows.sort(key=lambda row: -row[1][1][0])
    bars(f"{folder}/schedules-time.svg", "times as fast; blue: as gcc on the source, red: as the best of the others", "", rows, 1)
    print("""
## Time

One thread, seconds, medians: the source compiled by gcc, clang, clang with Polly and, after Pluto (`--tile`), by gcc, all with
`-O3 -march=native`; beside them what `redblue measure` makes of it, compiled by gcc. All take turns in one run on one machine (two cores
with AVX-512 registers; gcc 12, clang 14). Sizes are PolyBench's LARGE with fewer time steps. *Best* is the fastest of the others.

![times as fast](schedules-time.svg)
""")
    print("| kernel | sizes | " + " | ".join(OTHERS.values()) + " | redblue | gcc / redblue | best / redblue | order |")
    print("| --- | --- |" + " ---: |" * (len(OTHERS) + 3) + " --- |")
    for f in found_all:
        s = f["seconds"]
        cells = [f"{s[v]:.4f}" + ("*" if v in f["other_results"] else "") if v in s else f["problems"].get(v, "-") for v in OTHERS]
        order = "; ".join(f["blocks"]) if f["blocks"] else "loops" if f["changed"] else "the source's"
        print(f"| {f['kernel']} | {f['sizes']} | " + " | ".join(cells) + f" | {s['redblue']:.4f} | {s['gcc'] / s['redblue']:.2f} | "
              f"{best(f) / s['redblue']:.2f} | {order} |")
    against = [best(f) / f["seconds"]["redblue"] for f in found_all]
    print(f"\nGeometric mean: {mean([f['seconds']['gcc'] / f['seconds']['redblue'] for f in found_all]):.2f} times as fast as gcc, "
          f"{mean(against):.2f} as the best of the others; least {min(against):.2f}. "
          "*: other bits than the source's. A version that crashes, or that its tool refused, is not counted.")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print("""# Schedules: traffic beside the bound, time beside compilers

Made by `bench/schedules_report.py` from `bench/schedule_traffic` and `bench/measured_kernels`.
""")
    traffic(json.load(open(sys.argv[1])), sys.argv[3])
    times(json.load(open(sys.argv[2])), sys.argv[3])


if __name__ == "__main__":
    main()
