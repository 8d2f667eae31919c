# SPDX-License-Identifier: BSD-3-Clause
"""The twelve scenarios' sizes, and the tables (Markdown, on standard output) and plot (SVG) of their counts.

    simulate_gemm_report.py cases RANKS...        lines: shape scenario ranks m n k memory (0: unlimited)
    simulate_gemm_report.py report COUNTS SVG
"""

import json
import math
import sys

SHAPES = ("square", "largeK", "largeM", "flat")
SCENARIOS = ("strong", "limited", "extra")
OTHERS = ("2D grid", "2.5D grid", "recursive halving")
FEWEST = 16  # ranks all scenarios have the same sizes on


def sizes(shape, growth):
    """m, n, k with `growth` times the input of the smallest."""
    root = math.sqrt(growth)
    if shape == "square":
        return (round(384 * root),) * 3
    if shape == "largeK":  # m = n, k = 64 m
        return round(64 * root), round(64 * root), round(64 * 64 * root)
    if shape == "largeM":  # n = k, m = 64 n
        return round(64 * 64 * root), round(64 * root), round(64 * root)
    return round(640 * root), round(640 * root), round(40 * root)  # m = n = 16 k


def words(size):
    m, n, k = size
    return m * n + m * k + n * k


def cases(ranks):
    for shape in SHAPES:
        smallest = sizes(shape, 1)
        memory = 2.5 * words(smallest) / FEWEST
        for scenario in SCENARIOS:
            for p in ranks:
                growth = {"strong": 4, "limited": p / FEWEST, "extra": (p / FEWEST) ** (2 / 3)}[scenario]
                limit = 0 if scenario == "strong" else math.ceil(memory)
                print(shape, scenario, p, *sizes(shape, growth), limit)


def table(records):
    print("| shape | scenario | m x n x k | ranks | words, busiest rank | predicted | / bound | 2D | 2.5D | recursive |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in records:
        beside = " | ".join(f"{r[o] / r['words']:.2f}" if o in r and r["words"] else "-" for o in OTHERS)
        print(f"| {r['shape']} | {r['scenario']} | {r['m']} x {r['n']} x {r['k']} | {r['ranks']} | {r['words']:,} | "
              f"{r['predicted']:,} | {r['words'] / r['bound']:.3f} | {beside} |")


def panel(records, x0, y0, width, height, title):
    series = [("words", "#b3331d", ""), ("bound", "#222222", "2 3")]
    series += [(o, c, "6 3") for o, c in zip(OTHERS, ("#1d5fb3", "#2e8b57", "#8a5fb3"))]
    values = [r[s] for r in records for s, _, _ in series if r.get(s, 0) > 0]
    low, high = math.log(min(values)), math.log(max(values) * 1.05)
    ranks = [math.log(r["ranks"]) for r in records]
    x = lambda p: x0 + (math.log(p) - min(ranks)) / max(1e-9, max(ranks) - min(ranks)) * width
    y = lambda v: y0 + height - (math.log(v) - low) / max(1e-9, high - low) * height
    out = [f'<rect x="{x0}" y="{y0}" width="{width}" height="{height}" fill="none" stroke="#ccc"/>',
           f'<text x="{x0}" y="{y0 - 5}">{title}</text>',
           f'<text x="{x0 - 4}" y="{y(max(values)) + 4:.1f}" text-anchor="end" fill="#777">{max(values):,.0f}</text>',
           f'<text x="{x0 - 4}" y="{y(min(values)) + 4:.1f}" text-anchor="end" fill="#777">{min(values):,.0f}</text>']
    for name, colour, dashes in series:
        points = " ".join(f"{x(r['ranks']):.1f},{y(r[name]):.1f}" for r in records if r.get(name, 0) > 0)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-dasharray="{dashes}"/>')
    for r in records:
        out.append(f'<circle cx="{x(r["ranks"]):.1f}" cy="{y(r["words"]):.1f}" r="3" fill="#b3331d"/>')
        out.append(f'<text x="{x(r["ranks"]):.1f}" y="{y0 + height + 13}" text-anchor="middle" fill="#777">{r["ranks"]}</text>')
    return out


def plot(records, path):
    width, height, gap_x, gap_y = 210, 130, 90, 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{80 + 3 * (width + gap_x)}" '
           f'height="{60 + len(SHAPES) * (height + gap_y)}" font-family="sans-serif" font-size="11">',
           '<text x="80" y="16">words received by the busiest rank against ranks: redblue, counted (red); lower bound (dotted); '
           '2D (blue), 2.5D (green), recursive (violet)</text>']
    for i, shape in enumerate(SHAPES):
        for j, scenario in enumerate(SCENARIOS):
            own = sorted((r for r in records if (r["shape"], r["scenario"]) == (shape, scenario)), key=lambda r: r["ranks"])
            if own:
                out += panel(own, 80 + j * (width + gap_x), 45 + i * (height + gap_y), width, height, f"{shape}, {scenario}")
    with open(path, "w") as file:
        file.write("\n".join(out + ["</svg>", ""]))


if __name__ == "__main__":
    if sys.argv[1] == "cases":
        cases([int(p) for p in sys.argv[2:]])
    else:
        counted = [json.loads(line) for line in open(sys.argv[2])]
        table(counted)
        plot(counted, sys.argv[3])
