#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of the manual: docs/pictures/draw.py writes *.svg beside itself."""
from pathlib import Path

HERE = Path(__file__).resolve().parent
RED, BLUE, GREY, LIGHT = "#d62728", "#1f77b4", "#666", "#eee"
COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#edc948", "#76b7b2", "#9c755f"]


class Picture:
    def __init__(self, width, height):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                      f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
                      f'<rect width="{width}" height="{height}" fill="white"/>',
                      '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                      f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{GREY}"/></marker></defs>']

    def rect(self, x, y, w, h, fill="none", stroke=GREY, opacity=1.0):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}" stroke="{stroke}" '
                          f'fill-opacity="{opacity}"/>')

    def circle(self, x, y, r, fill="white", stroke=GREY):
        self.parts.append(f'<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}" stroke="{stroke}"/>')

    def line(self, x1, y1, x2, y2, arrow=False, stroke=GREY, dash=""):
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{stroke}"'
                          + (' marker-end="url(#a)"' if arrow else "")
                          + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")

    def polygon(self, points, fill, opacity=1.0):
        text = " ".join(f"{x},{y}" for x, y in points)
        self.parts.append(f'<polygon points="{text}" fill="{fill}" fill-opacity="{opacity}" stroke="{GREY}"/>')

    def text(self, x, y, what, anchor="middle", fill="#222", size=13):
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{fill}" font-size="{size}">{what}</text>')

    def save(self, name):
        (HERE / name).write_text("\n".join(self.parts + ["</svg>", ""]))


def game():
    """s = a0 b0, then s + a1 b1: a graph with red and blue pebbles, S = 3."""
    p = Picture(560, 210)
    places = {"a0": (50, 40), "b0": (50, 90), "a1": (200, 150), "b1": (270, 150), "s0": (150, 65), "s1": (270, 65)}
    for one, other in [("a0", "s0"), ("b0", "s0"), ("s0", "s1"), ("a1", "s1"), ("b1", "s1")]:
        (x1, y1), (x2, y2) = places[one], places[other]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        p.line(x1 + 17 * (x2 - x1) / length, y1 + 17 * (y2 - y1) / length,
               x2 - 18 * (x2 - x1) / length, y2 - 18 * (y2 - y1) / length, arrow=True)
    for name, (x, y) in places.items():
        p.circle(x, y, 16, LIGHT)
        p.text(x, y + 4, name)
    for name in ["a0", "b0", "a1", "b1"]:
        p.circle(places[name][0] + 15, places[name][1] - 12, 6, BLUE, BLUE)
    for name in ["a0", "b0", "s0"]:
        p.circle(places[name][0] - 15, places[name][1] - 12, 6, RED, RED)
    p.text(160, 198, "after: load a0, load b0, compute s0")
    p.rect(370, 20, 170, 60, "#fdecec", RED)
    p.text(455, 40, "fast memory, S = 3 words", size=12)
    p.text(455, 64, "a0   b0   s0")
    p.rect(370, 125, 170, 60, "#eaf2fa", BLUE)
    p.text(455, 145, "slow memory, no limit")
    p.text(455, 169, "a0   b0   a1   b1")
    p.line(430, 123, 430, 83, arrow=True)
    p.text(424, 107, "load", "end")
    p.line(480, 83, 480, 123, arrow=True)
    p.text(488, 107, "store", "start")
    p.save("game.svg")


def segment():
    """A schedule cut into segments, and what one of them can use."""
    p = Picture(600, 190)
    p.text(10, 20, "moves of a schedule, in time; each tick a load or a store", "start")
    for tick in range(0, 24):
        x = 20 + tick * 23
        p.line(x, 35, x, 50, stroke=GREY)
    for cut in range(5):
        x = 8 + cut * 138
        p.line(x, 28, x, 62, stroke=RED)
    p.text(77, 66, "X - S transfers", size=11)
    p.line(146, 70, 190, 92)
    p.line(284, 70, 420, 92)
    p.rect(190, 92, 230, 60, "#fdf6e3")
    p.text(305, 116, "computes a set H of instances")
    p.text(305, 138, "|In(H)| at most S + (X - S) = X")
    p.line(100, 122, 188, 122, arrow=True)
    p.text(95, 118, "S values found", "end", size=12)
    p.text(95, 134, "in fast memory", "end", size=12)
    p.line(305, 178, 305, 154, arrow=True)
    p.text(313, 180, "X - S values loaded", "start", size=12)
    p.save("segment.svg")


def projections():
    """A box in the iteration space of gemm and its three faces."""
    p = Picture(560, 250)

    def at(i, j, k):
        return 130 + 26 * j - 13 * i, 190 + 9 * i - 26 * k

    def face(corners, colour, opacity):
        p.polygon([at(*c) for c in corners], colour, opacity)

    face([(0, 0, 0), (6, 0, 0), (6, 6, 0), (0, 6, 0)], LIGHT, 1)
    face([(0, 0, 0), (6, 0, 0), (6, 0, 6), (0, 0, 6)], LIGHT, 1)
    face([(0, 0, 0), (0, 6, 0), (0, 6, 6), (0, 0, 6)], LIGHT, 1)
    face([(2, 2, 0), (5, 2, 0), (5, 5, 0), (2, 5, 0)], COLOURS[0], 0.6)
    face([(2, 0, 2), (5, 0, 2), (5, 0, 5), (2, 0, 5)], COLOURS[1], 0.6)
    face([(0, 2, 2), (0, 5, 2), (0, 5, 5), (0, 2, 5)], COLOURS[2], 0.6)
    face([(2, 2, 5), (5, 2, 5), (5, 5, 5), (2, 5, 5)], "#bbb", 0.9)
    face([(5, 2, 2), (5, 5, 2), (5, 5, 5), (5, 2, 5)], "#999", 0.9)
    face([(2, 5, 2), (5, 5, 2), (5, 5, 5), (2, 5, 5)], "#777", 0.9)
    x, y = at(6, 3, 0)
    p.text(x, y - 4, "j")
    x, y = at(3, 0, 0)
    p.text(x + 14, y - 8, "i")
    x, y = at(0, 0, 3)
    p.text(x + 10, y, "k")
    for row, (colour, what) in enumerate([
            ("#999", "H: a set of products (i, j, k)"), (COLOURS[0], "on (i, j): the elements of C it adds to"),
            (COLOURS[1], "on (i, k): the elements of A it reads"), (COLOURS[2], "on (j, k): the elements of B it reads")]):
        p.rect(305, 60 + 28 * row, 14, 14, colour)
        p.text(327, 72 + 28 * row, what, "start", size=12)
    p.text(305, 190, "|H| is at most the square root of the", "start", size=12)
    p.text(305, 207, "product of the three faces' sizes", "start", size=12)
    p.save("projections.svg")


def matrix(p, x, y, cell, rows, columns, owner):
    for r in range(rows):
        for c in range(columns):
            who = owner(r, c)
            p.rect(x + c * cell, y + r * cell, cell, cell, LIGHT if who is None else COLOURS[who % len(COLOURS)], "white")
            if who is not None:
                p.text(x + (c + 0.5) * cell, y + (r + 0.5) * cell + 4, str(who), fill="white", size=min(12, cell // 2 + 3))


def replicas():
    """c = 2 replicas of a matrix on two grids of 2 x 2 ranks."""
    p = Picture(520, 200)
    for replica in range(2):
        x = 30 + 250 * replica
        matrix(p, x, 40, 28, 4, 4, lambda r, c: 4 * replica + 2 * (r % 2) + c % 2)
        p.text(x + 56, 28, f"replica {replica}: ranks {4 * replica} .. {4 * replica + 3}")
        p.text(x + 56, 172, "products of " + ("the first half of k" if replica == 0 else "the second half of k"), size=12)
    p.line(150, 96, 272, 96, arrow=True)
    p.text(211, 88, "sums reduced", size=12)
    p.save("replicas.svg")


def gemm():
    p = Picture(560, 210)
    matrix(p, 40, 40, 32, 4, 4, lambda r, c: r // 2 + 4 * (c // 2))
    p.text(104, 28, "A: m x k, grid 2 x 2 x 2")
    matrix(p, 220, 40, 32, 4, 4, lambda r, c: 4 * (r // 2) + 2 * (c // 2))
    p.text(284, 28, "B: k x n")
    matrix(p, 400, 40, 32, 4, 4, lambda r, c: r // 2 + 2 * (c // 2))
    p.text(464, 28, "C: m x n")
    p.text(280, 195, "rank 4 l + 2 j + i multiplies A(i, l) by B(l, j); shown: the first rank that needs a block", size=12)
    p.save("gemm.svg")


def triangle():
    """Seven row blocks, seven ranks: the lines of the Fano plane."""
    lines = [(0, 1, 3), (1, 2, 4), (2, 3, 5), (3, 4, 6), (4, 5, 0), (5, 6, 1), (6, 0, 2)]

    def owner(r, c):
        if c > r:
            return None
        if c == r:
            return r
        return next(n for n, line in enumerate(lines) if r in line and c in line)

    p = Picture(450, 280)
    matrix(p, 50, 40, 30, 7, 7, owner)
    p.text(155, 28, "C, lower triangle: pair (i, j) of row blocks")
    for n, line in enumerate(lines):
        p.rect(290, 48 + 28 * n, 16, 16, COLOURS[n])
        p.text(314, 61 + 28 * n, f"rank {n}: rows {', '.join(map(str, line))}", "start", size=12)
    p.text(170, 268, "3 of 7 row blocks of A serve 3 pairs and a diagonal", size=12)
    p.save("syrk.svg")


def factor(name, title, owner, lines):
    p = Picture(520, 270)
    matrix(p, 40, 40, 26, 8, 8, owner)
    p.text(144, 28, title)
    k = 2
    p.rect(40 + k * 26, 40 + k * 26, 26, (8 - k) * 26, "none", "#000")
    p.rect(40 + (k + 1) * 26, 40 + (k + 1) * 26, (7 - k) * 26, (7 - k) * 26, "none", RED)
    for row, text in enumerate(lines):
        p.text(275, 70 + 24 * row, text, "start", size=12)
    p.save(name)


def cholesky():
    pairs = {}
    sets = [(0, 1), (0, 2), (1, 2)]

    def owner(r, c):
        if c > r:
            return None
        a, b = r % 3, c % 3
        if a == b:
            return a
        return sets.index((min(a, b), max(a, b)))

    factor("cholesky.svg", "A, p = 3 row blocks on 3 ranks", owner,
           ["block (i, j): the rank that has", "the pair (i mod p, j mod p)", "black: the step's panel, column k",
            "red: A(k+1:, k+1:), which the step", "updates by L(i, k) L(j, k)'"])


def lu():
    factor("lu.svg", "A, block-cyclic on a 2 x 2 grid", lambda r, c: 2 * (r % 2) + c % 2,
           ["black: the panel of step k; its grid", "column finds pivots by a tournament", "red: what the step updates,",
            "A(i, j) -= L(i, k) U(k, j)", "rows stay where they are: a pivot row", "leaves the active rows"])


def solve():
    p = Picture(600, 210)
    matrix(p, 30, 40, 32, 4, 4, lambda r, c: 2 * (r % 2) + c % 2 if c <= r else None)
    p.text(94, 28, "T: n x n, stays")
    matrix(p, 220, 40, 32, 4, 2, lambda r, c: 2 * (r % 2) + c)
    p.text(252, 28, "X: n x r")
    p.text(320, 62, "row block i: the ranks of grid row", "start", size=12)
    p.text(320, 82, "i mod 2, each a chunk of columns", "start", size=12)
    p.text(320, 116, "sums T(i, j) X(j) go along the grid row", "start", size=12)
    p.text(320, 136, "to the chunk's rank, which solves;", "start", size=12)
    p.text(320, 156, "X(i) goes along the grid column i mod 2", "start", size=12)
    p.save("solve.svg")


for draw in (game, segment, projections, replicas, gemm, triangle, cholesky, lu, solve):
    draw()
