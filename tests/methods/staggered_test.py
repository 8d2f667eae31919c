#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tries to break Lemma staggered.1: |In| + |Out| of sets that a segment may compute on a staggered grid.

Main instances (t, p) of a grid of 2 or 3 dimensions, and between neighbours p and p - u_k values (k, t, p). Main sets are closed under paths
of reads; the values between are chosen to make the border small, by a search. Prints the case that comes nearest (1 is
equality, above 1 a counter-example). No packages needed.
"""
import itertools
import random
import sys


def moved(x, step, sign):
    return x[0] + sign * step[0], tuple(a + sign * b for a, b in zip(x[1], step[1]))


def along(p, k, by):
    return p[:k] + (p[k] + by,) + p[k + 1:]


def steps_of(d):
    zero = (0,) * d
    return [(1, zero)] + [(1, along(zero, k, sign)) for k in range(d) for sign in (1, -1)]


def reached(places, steps, sign):
    """All places on paths of reads from these, as far as their times go."""
    first, last = min(t for t, _ in places), max(t for t, _ in places)
    seen, left = set(places), list(places)
    while left:
        x = left.pop()
        for step in steps:
            y = moved(x, step, sign)
            if first <= y[0] <= last and y not in seen:
                seen.add(y)
                left.append(y)
    return seen


def random_main(generator, d, size, steps):
    """Between random pairs of hyperplanes that no read crosses backwards, without some of its first and last places."""
    places = {(t, p) for t in range(2 * size) for p in itertools.product(range(-size, size + 1), repeat=d)}
    for _ in range(generator.choice([2, 3, 4])):
        normal = [generator.uniform(-1, 1) for _ in range(d)]
        slope = generator.choice([1, generator.uniform(max(map(abs, normal)), 2)])
        low = generator.uniform(-size, size * 0.6)
        high = low + generator.uniform(1, 1.5 * size)
        places = {(t, p) for t, p in places if low <= slope * t + sum(a * b for a, b in zip(normal, p)) <= high}
    for _ in range(generator.choice([0, 0, len(places) // 4])):
        x, sign = generator.choice(sorted(places)) if generator.random() < 0.05 else next(iter(places)), generator.choice([1, -1])
        while next_ones := [y for step in steps if (y := moved(x, step, sign)) in places]:
            x = generator.choice(next_ones)
        places.discard(x)
        if len(places) < 3:
            break
    return reached(places, steps, 1) & reached(places, steps, -1) if len(places) >= 3 else set()


def ends(value):
    k, _, p = value
    return p, along(p, k, -1)


def border(main, between, d):
    """|In| + |Out|"""
    needed, used = set(), set()
    for t, p in main:
        values = [(k, t, q) for k in range(d) for q in (p, along(p, k, 1))]
        readers = [(k, t + 1, q) for k, _, q in values]
        needed.update(v for v in values if v not in between)
        if (t - 1, p) not in main:
            needed.add((t - 1, p))
        if (t + 1, p) not in main or any(r not in between for r in readers):
            used.add((t, p))
    for value in between:
        k, t, p = value
        if (k, t - 1, p) not in between:
            needed.add((k, t - 1, p))
        needed.update((t - 1, q) for q in ends(value) if (t - 1, q) not in main)
        if (k, t + 1, p) not in between or any((t, q) not in main for q in ends(value)):
            used.add(value)
    return len(needed) + len(used)


def least_border(generator, main, d):
    """Of some choices of the values between; what lies on paths between main instances is always computed."""
    near = {(k, t + dt, q) for t, p in main for k in range(d) for q in (p, along(p, k, 1)) for dt in (-1, 0, 1, 2)}
    read = {v: [(v[1], q) in main for q in ends(v)] for v in near}
    reads = {v: [(v[1] - 1, q) in main for q in ends(v)] for v in near}
    forced = {v for v in near if any(read[v]) and any(reads[v])}
    choices = [forced, forced | {v for v in near if all(read[v])}, forced | {v for v in near if all(reads[v])},
               forced | {v for v in near if any(read[v]) or any(reads[v])}]
    least, best = min(((border(main, c, d), c) for c in choices), key=lambda found: found[0])
    free = sorted(near - forced)
    for value in generator.sample(free, min(60, len(free))):
        other = border(main, best ^ {value}, d)
        if other <= least:
            least, best = other, best ^ {value}
    return least


def at_least(main, d, steps):
    """What the lemma says."""
    inner = [x for x in main if all(moved(x, step, 1) in main for step in steps)]
    before = main | {moved(x, step, -1) for x in main for step in steps}
    lines = {}
    for t, p in inner:
        lines.setdefault(p, []).append(t)
    kept = [times for times in lines.values() if len(times) > 1]
    return len(before) - sum(map(len, kept)) + 2 * (d - 1) * len(kept), len(kept)


def main():
    generator = random.Random(20261127)
    cases, closest = 0, 0.0
    for d, size, wanted in ((2, 4, 40), (3, 2, 8)):
        while wanted > 0:
            steps = steps_of(d)
            places = random_main(generator, d, size, steps)
            if not places:
                continue
            least, lines = at_least(places, d, steps)
            if lines == 0:
                continue
            wanted -= 1
            cases += 1
            closest = max(closest, least / least_border(generator, places, d))
    ok = closest <= 1 and closest > 0.6
    print(f"{'ok  ' if ok else 'FAIL'} staggered.1: {cases} cases, closest {closest:.4f}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
