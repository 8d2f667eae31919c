# SPDX-License-Identifier: BSD-3-Clause
"""docs/tradeoffs.md (on standard output) and its plots from bench/tradeoffs's counts; arguments: COUNTS FOLDER."""

import json
import math
import sys

COLOURS = ["#1d5fb3", "#b3331d", "#2a8f4c", "#8a4fbf", "#b8860b"]


def ticks(low, high):
    """Powers of ten, or of two where there are few of them."""
    for base in (10, 2):
        marks = [base ** e for e in range(math.floor(math.log(low, base)), math.ceil(math.log(high, base)) + 1)]
        marks = [m for m in marks if low <= m <= high]
        if len(marks) >= 2:
            return marks
    return [low, high]


def plot(path, title, across, up, curves, bounds):
    """Log-log: curves {name: [(x, y, label)]} as dots joined by lines; bounds {name: [(x, y)]} dashed."""
    points = [p[:2] for c in list(curves.values()) + list(bounds.values()) for p in c if p[0] > 0 and p[1] > 0]
    if not points:
        return
    width, height, left, right, top, bottom = 680, 420, 80, 150, 36, 52
    lows, highs = [min(p[d] for p in points) / 1.25 for d in (0, 1)], [max(p[d] for p in points) * 1.25 for d in (0, 1)]

    def x(v):
        return left + math.log(v / lows[0]) / math.log(highs[0] / lows[0]) * (width - left - right)

    def y(v):
        return height - bottom - math.log(v / lows[1]) / math.log(highs[1] / lows[1]) * (height - top - bottom)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>', f'<text x="{left}" y="20" font-weight="bold">{title}</text>']
    for m in ticks(lows[0], highs[0]):
        out.append(f'<line x1="{x(m):.1f}" y1="{top}" x2="{x(m):.1f}" y2="{height - bottom}" stroke="#ddd"/>'
                   f'<text x="{x(m):.1f}" y="{height - bottom + 16}" text-anchor="middle">{m:,.0f}</text>')
    for m in ticks(lows[1], highs[1]):
        out.append(f'<line x1="{left}" y1="{y(m):.1f}" x2="{width - right}" y2="{y(m):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y(m) + 4:.1f}" text-anchor="end">{m:,.0f}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">{across}</text>')
    out.append(f'<text x="16" y="{(top + height - bottom) / 2}" text-anchor="middle" '
               f'transform="rotate(-90 16 {(top + height - bottom) / 2})">{up}</text>')
    row = top + 12
    for colour, (name, curve) in zip(COLOURS * 3, curves.items()):
        curve = sorted(p for p in curve if p[0] > 0 and p[1] > 0)
        line = " ".join(f"{x(p[0]):.1f},{y(p[1]):.1f}" for p in curve)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
        for p in curve:
            out.append(f'<circle cx="{x(p[0]):.1f}" cy="{y(p[1]):.1f}" r="3.5" fill="{colour}"/>'
                       f'<text x="{x(p[0]) + 5:.1f}" y="{y(p[1]) - 5:.1f}" font-size="10" fill="{colour}">{p[2]}</text>')
        out.append(f'<text x="{width - right + 10}" y="{row}" fill="{colour}">{name}</text>')
        row += 16
    for name, curve in bounds.items():
        line = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in sorted(curve) if a > 0 and b > 0)
        out.append(f'<polyline points="{line}" fill="none" stroke="#444" stroke-dasharray="5 3"/>')
        out.append(f'<text x="{width - right + 10}" y="{row}" fill="#444">{name}</text>')
        row += 16
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>", ""]))


def table(heads, rows):
    print("| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads))
    for row in rows:
        print("| " + " | ".join(f"{c:,}" if isinstance(c, int) else f"{c:.2f}" if isinstance(c, float) else str(c) for c in row) + " |")
    print()


def products_of(results, kernel):
    return [p for r in results.get("product:" + kernel, []) for p in r["products"]]


def curve_of(products, name):
    """The least cost for numbers of synchronisations that a product with a constant allows."""
    return next(([(c["S"], c["least"]) for c in p["curve"] if c["S"] > 0] for p in products if p["name"] == name and p.get("curve")), [])


def list_products(results, kernel):
    rows = [(p["name"], f"`{p['formula']}`", "proved" if p["constant"] is not None else "order only",
             p["value"] if p["value"] is not None else "-") for p in products_of(results, kernel)]
    if rows:
        table(["product", "no schedule has less", "constant", "value"], rows)


def trsv(results, folder):
    runs = results.get("trsv", [])
    print("## A triangular solve with one vector\n\nPanels of b columns dealt out to 16 ranks, n = 4096, counted along the path. Where every "
          "rank has one panel (b = 256), S F is about 4 n^2; with narrower panels the path has the operations of one rank's share, and more "
          "synchronisations.\n\n![F against S](tradeoffs-trsv.svg)\n")
    table(["b", "S", "F", "W", "S F / n^2"],
          [(r["block"], r["synchronisations"], round(r["flops"]), r["path_words"], r["synchronisations"] * r["flops"] / 4096 ** 2) for r in runs])
    list_products(results, "trisolv")
    plot(f"{folder}/tradeoffs-trsv.svg", "Triangular solve, n = 4096: operations against synchronisations", "synchronisations S",
         "operations F", {"counted, 16 ranks": [(r["synchronisations"], r["flops"], f"b {r['block']}") for r in runs]},
         {"proved bound": curve_of(products_of(results, "trisolv"), "F S")})


def factorizations(results, folder):
    print("## Cholesky and LU\n\nn = 4096 on 64 ranks, blocks as `plan` chooses them, along the longest path where nothing overlaps. F in floating-point "
          "operations; the products count instances.\n\n"
          "![W against S](tradeoffs-factorizations.svg)\n")
    # The costs of the paper's model, in which nothing overlaps.
    paths = {k: [(c, r["without_overlap"]) for c, r in zip((1, 2, 4), results.get(k, []))] for k in ("cholesky", "lu")}
    curves = {k: [(r["S"], r["W"], f"c {c}") for c, r in own] for k, own in paths.items()}
    table(["kernel", "replicas", "S", "W", "F", "W^"],
          [(k, c, *(round(r[key]) for key in ("S", "W", "F", "memory_words"))) for k, own in paths.items() for c, r in own])
    bounds = {}
    for k in ("cholesky", "lu"):
        list_products(results, k)
        bounds[f"proved, {k}"] = curve_of(products_of(results, k), "W S")
    plot(f"{folder}/tradeoffs-factorizations.svg", "Cholesky and LU, n = 4096, 64 ranks: words against synchronisations",
         "synchronisations S", "words W", curves, bounds)


def stencils(results, folder):
    runs = results.get("stencil", [])
    print("## Stencils\n\nA box of radius 1 on 512 x 512 (16 ranks, real) or 1024 x 1024 points (more ranks, simulated or "
          "predicted), 64 steps; of the rank with the most of each.\n")
    for ranks in sorted({r["ranks"] for r in runs}):
        own = [r for r in runs if r["ranks"] == ranks]
        print(f"### {ranks} ranks\n\n![W against S](tradeoffs-stencil-{ranks}.svg)\n")
        table(["scheme", "b", "W", "S", "F / F of PA0", "W^"],
              [(r["scheme"], r["depth"], r["max_words_received"], r["synchronisations"], r["updates"] / own[0]["updates"],
                r.get("memory_traffic_words", "-")) for r in own])
        curves = {}
        for r in own:
            curves.setdefault(r["scheme"], []).append((r["synchronisations"], r["max_words_received"], f"b {r['depth']}"))
        bound = curve_of(products_of(results, "jacobi-2d"), "W S") if ranks == 16 else []
        plot(f"{folder}/tradeoffs-stencil-{ranks}.svg", f"Stencil schemes on {ranks} ranks: words against synchronisations",
             "synchronisations S", "words W, busiest rank", curves, {"proved bound": bound} if bound else {})
    list_products(results, "jacobi-2d")


def main(counts, folder):
    results = {}
    for line in open(counts, encoding="utf-8"):
        record = json.loads(line)
        results.setdefault(record["kind"], []).append(record["result"])
    print("# Trade-offs: operations, words and synchronisations\n\nMade by `bench/tradeoffs`. F, W and S are counted along the "
          "critical path of a run; what the products say, and why, is in [methods/tradeoffs.md](methods/tradeoffs.md).\n")
    trsv(results, folder)
    factorizations(results, folder)
    stencils(results, folder)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
