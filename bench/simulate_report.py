# SPDX-License-Identifier: BSD-3-Clause
"""Table (Markdown, on standard output) and plot (SVG) of bench/simulate's counts."""

import json
import math
import sys


def model_2d(record):
    """N^2/sqrt(P) + N^2/P, what ScaLAPACK and SLATE move (LU; half of it for Cholesky)."""
    n, p = record["n"], record["ranks"]
    words = n * n / math.sqrt(p) + n * n / p
    return words / 2 if record["kernel"] == "cholesky" else words


def table(records):
    print("| kernel | n | ranks | words, busiest rank | predicted | counted / predicted | 2D model | / 2D model | layout | messages |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in records:
        model = model_2d(r) if r["kernel"] != "syrk" else None
        beside = f"{model:,.0f} | {r['words'] / model:.2f}" if model else "- | -"
        print(f"| {r['kernel']} | {r['n']} | {r['ranks']} | {r['words']:,} | {r['predicted']:,} | "
              f"{r['words'] / r['predicted']:.3f} | {beside} | {r['redistributed']:,} | {r['messages']:,} |")


def many_ranks(records):
    print("| kernel | size | ranks | words, busiest rank | mean | predicted | counted / predicted | bound | / bound | messages |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in records:
        sizes = [r["m"], r["n"], r["k"]] if "m" in r else [r["n"], r["k"]] if r["kernel"] in ("syrk", "trsm") else [r["n"]]
        bound = f"{r['bound']:,.0f} | {r['words'] / r['bound']:.2f}" if r["bound"] else "0 | -"
        print(f"| {r['kernel']} | {' x '.join(map(str, sizes))} | {r['ranks']:,} | {r['words']:,} | {r['mean']:,.0f} | "
              f"{r['predicted']:,} | {r['words'] / r['predicted']:.3f} | {bound} | {r['messages']:,} |")


def plot(records, path):
    width, height, left, bottom = 640, 400, 70, 50
    kernels = [k for k in ("lu", "cholesky") if sum(r["kernel"] == k for r in records) > 1]
    points = [r for r in records if r["kernel"] in kernels]
    if not points:
        return
    xs = [math.log(r["ranks"]) for r in points]
    ys = [math.log(v) for r in points for v in (r["words"], model_2d(r))]
    x = lambda v: left + (math.log(v) - min(xs)) / (max(xs) - min(xs)) * (width - left - 120)
    y = lambda v: height - bottom - (math.log(v) - min(ys)) / (max(ys) - min(ys)) * (height - bottom - 30)
    colours = {"lu": "#b3331d", "cholesky": "#1d5fb3"}
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<text x="{left}" y="18">words received by the busiest rank (dots: counted, lines: 2D model)</text>']
    for p in sorted({r["ranks"] for r in points}):
        out.append(f'<line x1="{x(p):.1f}" y1="30" x2="{x(p):.1f}" y2="{height - bottom}" stroke="#ddd"/>')
        out.append(f'<text x="{x(p):.1f}" y="{height - bottom + 18}" text-anchor="middle">{p}</text>')
    out.append(f'<text x="{(width - 120) / 2}" y="{height - 10}">ranks</text>')
    for v in (100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000):
        if min(ys) <= math.log(v) <= max(ys):
            out.append(f'<text x="{left - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{v:,}</text>')
            out.append(f'<line x1="{left}" y1="{y(v):.1f}" x2="{width - 120}" y2="{y(v):.1f}" stroke="#ddd"/>')
    for kernel in kernels:
        own = sorted((r for r in points if r["kernel"] == kernel), key=lambda r: r["ranks"])
        line = " ".join(f"{x(r['ranks']):.1f},{y(model_2d(r)):.1f}" for r in own)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colours[kernel]}" stroke-dasharray="5 3"/>')
        for r in own:
            out.append(f'<circle cx="{x(r["ranks"]):.1f}" cy="{y(r["words"]):.1f}" r="4" fill="{colours[kernel]}"/>')
        out.append(f'<text x="{x(own[-1]["ranks"]) + 10:.1f}" y="{y(own[-1]["words"]) + 4:.1f}" fill="{colours[kernel]}">{kernel} {own[-1]["n"]}</text>')
    with open(path, "w") as file:
        file.write("\n".join(out + ["</svg>", ""]))


if __name__ == "__main__":
    counted = [json.loads(line) for line in open(sys.argv[1])]
    if len(sys.argv) > 2:
        table(counted)
        plot(counted, sys.argv[2])
    else:
        many_ranks(counted)
