#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tries to break the lemmas of docs/methods on small cases: random ones and those that come near.

Each check prints how many cases it looked at and the closest one (1 is equality, above 1 a
counter-example). Fails on a counter-example, and where the closest case is too far from 1 to mean
anything. No packages needed.
"""
import itertools
import math
import random
import sys

generator = random.Random(20261123)


def report(name, ratios, least_tightness):
    ratios = list(ratios)
    closest = max(ratios, default=0.0)
    ok = len(ratios) > 0 and least_tightness <= closest <= 1 + 1e-9
    print(f"{'ok  ' if ok else 'FAIL'} {name}: {len(ratios)} cases, closest {closest:.4f}")
    return ok


def random_points(box, share):
    return {p for p in itertools.product(*[range(n) for n in box]) if generator.random() < share}


# segments.4
def loomis_whitney():
    for _ in range(300):
        h = random_points([generator.randint(1, 4) for _ in range(3)], generator.choice([0.3, 0.7, 1]))
        if h:
            sizes = [len({tuple(p[t] for t in kept) for p in h}) for kept in [(0, 1), (0, 2), (1, 2)]]
            yield len(h) / math.sqrt(math.prod(sizes))


# segments.6: (1 + t) / (1 + t / alpha)^alpha >= 1 - t^2 / 2
def rounded_segments():
    for alpha in [1.1, 1.25, 4 / 3, 1.5, 2, 3]:
        for i in range(1, 100):
            t = i / 50
            yield (1 - t * t / 2) / ((1 + t) / (1 + t / alpha) ** alpha)


# projection.4, with one sliced loop that one of two projections shows
def slices():
    for _ in range(300):
        n = generator.randint(1, 4)
        h = random_points([n, 4, 4], generator.choice([0.2, 0.6, 1]))
        if not h:
            continue
        shown = len({(f, i) for f, i, j in h})
        mixed = len({(f + i, j) for f, i, j in h})
        kept = len({j for f, i, j in h})
        # exponents 1/2, 1/2 on (i shown with f), (f + i, j); 1/2 on j: i is in both, j in two
        yield len(h) / (n ** 0.5 * math.sqrt(shown * mixed * kept))


# contraction.1, for C[i][j] += p after p = A[i][k] * B[k][j] on an n x n x n cube: H are some products
# and some updates. Every pair of sets for n = 2; cubes and random sets for others.
def values_used_once():
    def ratio(products, updates, n):
        needed = {("C", i, j) for i, j, k in updates if k == 0}
        needed |= {("C", i, j, k - 1) for i, j, k in updates if k > 0 and (i, j, k - 1) not in updates}
        needed |= {("p", *w) for w in updates if w not in products}
        needed |= {("A", i, k) for i, j, k in products} | {("B", k, j) for i, j, k in products}
        x = len(needed)
        return len(updates) / max((x / 3) ** 1.5, x) if x else 0

    for n in [2, 3, 4, 5]:
        cube = list(itertools.product(range(n), repeat=3))
        yield ratio(set(cube), set(cube), n)
        yield ratio(set(), set(cube), n)
        if n == 2:
            for chosen in itertools.product(range(4), repeat=8):
                yield ratio({w for w, c in zip(cube, chosen) if c & 1},
                            {w for w, c in zip(cube, chosen) if c & 2}, n)
        for _ in range(300):
            share, other = generator.random(), generator.random()
            yield ratio({w for w in cube if generator.random() < share},
                        {w for w in cube if generator.random() < other}, n)


# dependence_projection.3
def symmetric_loomis_whitney():
    for _ in range(500):
        size, depth = generator.randint(2, 6), generator.randint(1, 3)
        rows = generator.sample(range(7), size)
        share = generator.choice([0.3, 0.7, 1])
        h = [(i, j, k) for i in rows for j in rows for k in range(depth) if j < i and generator.random() < share]
        if h:
            union = {(i, k) for i, j, k in h} | {(j, k) for i, j, k in h}
            yield 2 * len(h) / (len(union) * math.sqrt(2 * len({(i, j) for i, j, k in h})))


# interval_table.1
def table_matrix():
    def ratio(a, t, n):
        square = [[sum(a[w][x] * a[x][y] for x in range(n)) for y in range(n)] for w in range(n)]
        left = sum(square[w][y] ** 2 for w in range(n) for y in range(n) if w < t[y])
        total = sum(v * v for row in a for v in row)
        return left / (total * total / 4) if total > 0 else 0.0

    for _ in range(60):
        n = generator.randint(2, 6)
        t = sorted(generator.randint(0, n) for _ in range(n))
        a = [[generator.random() ** 2 if u >= t[v] else 0.0 for v in range(n)] for u in range(n)]
        best = ratio(a, t, n)
        for _ in range(60):  # climb
            u, v = generator.randrange(n), generator.randrange(n)
            if u < t[v]:
                continue
            old = a[u][v]
            a[u][v] = max(0.0, old + generator.uniform(-0.4, 0.4))
            new = ratio(a, t, n)
            if new < best:
                a[u][v] = old
            best = max(best, new)
        yield best
    for b in range(1, 5):  # three groups of rows, one after another: equality
        n = 3 * b
        a = [[1.0 if v // b == u // b + 1 else 0.0 for v in range(n)] for u in range(n)]
        t = [0] * (2 * b) + [b] * b  # of the last group's chains none of the first group is done
        yield ratio(a, t, n)


# interval_table, "What it loses": finished chains at half their weight, every t of up to five points
def table_conjecture():
    for n in range(3, 6):
        for t in itertools.combinations_with_replacement(range(n + 1), n):
            a = [[generator.random() if u < v and u >= t[v] else 0.0 for v in range(n)] for u in range(n)]
            weight = [[1.0 if w < t[y] else 0.5 for y in range(n)] for w in range(n)]
            ratio = 0.0
            for _ in range(40):  # ascent on the sphere of all a
                norm = math.sqrt(sum(v * v for row in a for v in row))
                if norm == 0:
                    break
                a = [[v / norm for v in row] for row in a]
                square = [[weight[w][y] * sum(a[w][x] * a[x][y] for x in range(w + 1, y)) for y in range(n)]
                          for w in range(n)]
                ratio = sum(square[w][y] ** 2 / weight[w][y] for w in range(n) for y in range(n)) / 0.25
                step = [[sum(square[u][y] * a[v][y] for y in range(n)) + sum(a[w][u] * square[w][v] for w in range(n))
                         if a[u][v] > 0 else 0.0 for v in range(n)] for u in range(n)]
                length = math.sqrt(sum(v * v for row in step for v in row))
                if length == 0:
                    break
                a = [[a[u][v] + step[u][v] / length for v in range(n)] for u in range(n)]
            yield ratio


# interval_table.2, on segments of random legal orders of a table
def table_segments():
    for _ in range(400):
        points = generator.randint(4, 8)
        left = {(w, y): list(range(w + 1, y)) for w in range(points) for y in range(w + 2, points)}
        done = {(w, w + 1) for w in range(points - 1)}
        order = []
        bias = generator.choice([0, 1, 2])
        while left:
            ready = [(w, x, y) for (w, y), xs in left.items() for x in xs if (w, x) in done and (x, y) in done]
            # a chain ends only when all within it is done
            ready = [(w, x, y) for w, x, y in ready if len(left[w, y]) > 1 or all(
                (u, v) in done for u in range(w, y) for v in range(u + 1, y + 1) if (u, v) != (w, y))]
            w, x, y = generator.choice(ready) if bias == 0 else min(
                ready, key=lambda i: (i[2] - i[0], generator.random()) if bias == 1 else (i[1], generator.random()))
            left[w, y].remove(x)
            if not left[w, y]:
                del left[w, y]
                done.add((w, y))
            order.append((w, x, y, (w, y) in done))
        start = generator.randrange(len(order))
        segment = order[start:start + generator.randint(1, len(order))]
        used = {(w, x) for w, x, y, _ in segment} | {(x, y) for w, x, y, _ in segment}
        chains = {(w, y) for w, x, y, _ in segment}
        ended = {(w, y) for w, x, y, last in segment if last}
        most = len(used) / 2 * (math.sqrt(len(chains) - len(ended)) + math.sqrt(2 * len(ended)))
        yield len(segment) / most


# symmetric_product.4
def two_sides_function():
    def h(rho):
        u = rho + math.sqrt(2)
        return max(1.0, 4 * u / (2 + u * u))

    for i in range(0, 250):
        for j in range(0, 250):
            rho, t = i / 100, j / 50
            w, n = rho + t, 1 + min(1.0, t * t / 2)
            yield 2 * n * w / (n + w * w) / h(rho)


# symmetric_product.5
def two_sides_near():
    for i in range(0, 500):
        for j in range(0, 300):
            rho, t = i / 100, j / 100
            w, far = rho + t, min(1.0, t * t / 2)
            u = rho + math.sqrt(2)
            counted = math.sqrt(2) + (2 - math.sqrt(2)) * far
            yield 2 * w * counted / (2 + w * w) / max(1.0, 4 * u / (2 + u * u))


# symmetric_product, the theorem: symm with one column of B; segments are pieces of chains
def two_sides_segments():
    def h(rho):
        u = rho + math.sqrt(2)
        return max(1.0, 4 * u / (2 + u * u))

    for _ in range(500):
        rows, distance = generator.randint(3, 12), generator.randint(1, 5)
        low, high = sorted(generator.sample(range(rows + 1), 2))
        instances, pieces = set(), 0
        for chain in range(rows):
            # S1: C[chain] over i > chain, place i, A[i][chain]; S2: dot of row chain, place k, A[chain][k]
            for kind, first, last in (1, chain + 1, rows), (2, 0, chain):
                if generator.random() < 0.3:
                    continue
                begin, end = max(first, low), min(last, high)
                if generator.random() < 0.3:
                    begin += 1
                if begin < end:
                    pieces += 1
                    instances |= {(kind, chain, place) for place in range(begin, end)}
        if not instances:
            continue
        a = len({(place, chain) if kind == 1 else (chain, place) for kind, chain, place in instances})
        b = len({place for _, _, place in instances})
        rho = (distance - 1) / math.sqrt(a)
        counted = sum(1 if abs(chain - place) >= distance else math.sqrt(0.5) for _, chain, place in instances)
        yield counted / (h(rho) * math.sqrt(a) * (b + pieces) / 2)


# isoperimetry.4, in the plane
def lattice_growth():
    def plus(a, b):
        return {(p[0] + q[0], p[1] + q[1]) for p in a for q in b}

    cell = {(0, 0), (0, 1), (1, 0), (1, 1)}
    shapes = [[(1, 0), (0, 1)], [(1, 0), (0, 1), (1, 1)], [(1, 1), (1, 0), (1, -1)]]
    for steps in shapes:
        d0 = {(0, 0), *steps}
        k = plus(d0, {(-p[0], -p[1]) for p in d0})
        for body in (d0, k):
            sums, total = [], {(0, 0)}
            for _ in range(4):
                total = plus(total, body)
                sums.append(math.sqrt(sum(plus({p}, cell) <= total for p in total)))
            for _ in range(60):
                e = set(generator.choice([plus(body, body), body, {(0, 0)}]))
                for _ in range(generator.randint(0, 12)):
                    p, s = generator.choice(sorted(e)), generator.choice(sorted(body))
                    e.add((p[0] + s[0], p[1] + s[1]))
                grown = len(plus(e, body))
                for number, w in enumerate(sums, 1):
                    if w > 0:
                        yield len(e) * (1 + w / math.sqrt(len(e))) ** (2 / number) / grown


# isoperimetry.6: the largest set that the inequalities allow against the formula's
def stencil_formula():
    def largest(increasing, limit):
        low, high = 0.0, 1.0
        while increasing(high) <= limit:
            high *= 2
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if increasing(middle) <= limit else (low, middle)
        return low

    for n, k, side, one_way, s in itertools.product([2, 3, 4], [1, 2, 4, 11], [1.2, 2.4], [0, 0.7], [30, 300, 1e4, 1e6]):
        r = (2 * s / side) ** (1 / (n - 1))
        lost = n * (1 - one_way / side) + n * max(0, k - n) / (2 * (n - 1))
        if lost * side / r >= 1:
            continue
        m = 2 * n * s
        inner = largest(lambda z: z * ((1 + k * side * z ** (-1 / n)) ** (n / k) - 1) if z > 0 else 0, m)
        own = largest(lambda z: z + (z * ((1 + one_way * z ** (-1 / n)) ** n - 1) if z > 0 else 0), inner + m)
        yield own / (r ** n / (1 - lost * side / r))


# isoperimetry.7: instances w of the plane with values p (reads one of w's operands) and q (reads p and
# another operand) of their own; w reads q and the third. H is any set of these. Against the largest
# |N| that the borders of F and of E allow; the ratio of the two inequalities' sides, whichever is closer.
def own_values():
    steps = [(1, 0), (0, 1), (1, 1)]

    def minus(w, d):
        return (w[0] - d[0], w[1] - d[1])

    def reads(vertex):
        kind, w = vertex
        if kind == "p":
            return [("w", minus(w, steps[0]))]
        if kind == "q":
            return [("p", w), ("w", minus(w, steps[1]))]
        return [("q", w), ("w", minus(w, steps[2]))]

    for trial in range(600):
        side = generator.randint(1, 5)
        places = [(i, j) for i in range(side) for j in range(side)]
        around = [(i, j) for i in range(-2, side + 3) for j in range(-2, side + 3)]
        share = generator.choice([0.4, 0.8, 0.95, 1.0])
        h = {(kind, w) for kind in "pqw" for w in places if generator.random() < share}
        if not h:
            continue
        needed = {r for v in h for r in reads(v)} - h
        everything = [(kind, w) for kind in "pqw" for w in around]
        left = {r for v in everything if v not in h for r in reads(v)} & h
        n = {w for kind, w in h if kind == "w"}
        f = {w for w in n if {("p", w), ("q", w)} <= h}
        z = {w for w in places if w not in n and {("p", w), ("q", w)} & h}
        below = {minus(w, d) for w in f for d in steps} | f
        e = {x for x in n if all((x[0] + d[0], x[1] + d[1]) in n | z for d in steps)}
        above = {(x[0] + d[0], x[1] + d[1]) for x in e for d in steps} | e
        for limit, parts in ((len(needed), (len(below) - len(f), len(n) - len(f))),
                             (len(left), (len(above) - len(e), len(n) - len(e)))):
            for part in parts:
                assert part <= limit, (h, part, limit)
                if limit:
                    yield part / limit


# phases.1, g = 2: powers of an n x n matrix by half passes, the rows below the diagonal from the top, those
# above it from the bottom. Each product must find its x known, each element is loaded once per half pass.
def half_passes():
    for n, steps in [(4, 6), (12, 20), (40, 40), (80, 60)]:
        made = [[[False] * n for _ in range(n)] for _ in range(steps)]  # products of step t
        missing = [[n] * n for _ in range(steps)]  # of y[i] at step t
        loads = 0

        def multiply(t, i, j):
            if t >= steps or made[t][i][j] or (t > 0 and missing[t - 1][j] > 0):
                return
            made[t][i][j] = True
            missing[t][i] -= 1

        half_pass = 0
        while any(missing[-1]):
            below = half_pass % 2 == 0
            for i in range(n) if below else reversed(range(n)):
                for j in range(i) if below else range(i, n):
                    loads += 1
                    for t in (half_pass - 1, half_pass):
                        if t >= 0:
                            multiply(t, i, j)
                if not below:  # the diagonal once more, when x[i] is known
                    multiply(half_pass, i, i)
            half_pass += 1
            assert half_pass <= 2 * steps + 2
        memory = 4 * n + 1
        yield steps * (n * n - memory) / 2 / loads


# parallel_factorizations.1: what one element costs when ranks each add to it and read it, against the
# fewest transfers (breadth first over who holds which products)
def one_element():
    def transfers(adders, readers, ranks):
        everything = frozenset(adders)
        start = tuple(frozenset([r]) if r in adders else frozenset() for r in range(ranks))
        seen, frontier, cost = {start}, [start], 0
        while True:
            for held in frontier:
                # each reader was complete at some time; words are kept, so it still is
                if all(held[r] == everything for r in readers) and any(h == everything for h in held):
                    return cost
            following = []
            for held in frontier:
                for source, target in itertools.permutations(range(ranks), 2):
                    after = held[:target] + (held[target] | held[source],) + held[target + 1:]
                    if after not in seen:
                        seen.add(after)
                        following.append(after)
            frontier, cost = following, cost + 1

    for ranks in (2, 3, 4):
        for adders in itertools.chain.from_iterable(itertools.combinations(range(ranks), a) for a in range(1, ranks + 1)):
            for readers in itertools.chain.from_iterable(itertools.combinations(range(ranks), r) for r in range(ranks + 1)):
                fewest = transfers(adders, readers, ranks)
                bound = len(adders) + len(readers) - (2 if readers else 1)
                assert bound <= fewest, (adders, readers)
                if fewest > 0:
                    yield bound / fewest


# parallel_factorizations.4
def symmetric_elements():
    def t(c):
        return (1 + math.sqrt(1 + 8 * c)) / 2

    for _ in range(600):
        n, depth = generator.randint(2, 6), generator.randint(1, 3)
        share = generator.choice([0.3, 0.7, 1])
        h = [(i, j, k) for i in range(n) for j in range(i) for k in range(depth) if generator.random() < share]
        if h:
            v, pairs = len(h), n * (n - 1) // 2
            low = max(v / depth, 1)
            least = min(c + v * t(c) / c for c in (low + (pairs - low) * s / 200 for s in range(201)))
            has = len({(i, k) for i, j, k in h} | {(j, k) for i, j, k in h}) + len({(i, j) for i, j, k in h})
            yield (least - 1e-2) / has  # less what the grid over c may miss


# crossing_chains.2, boxes with pieces away and at random: lines along the axes
def crossing_chains():
    def lines(h, axis):
        return len({x[:axis] + x[axis + 1:] for x in h})
    for n in range(1500):
        p = generator.randint(1, 3)
        box = [generator.randint(1, 5) for _ in range(3)]
        if n % 3 == 0:  # a = b = p c
            side = generator.randint(1, 4)
            box = [side * p, side, side] if n % 2 else [side, side, side]
        shares = [generator.choice([0, 0.4, 0.8, 1]) for _ in range(2)]
        h1, h2 = (random_points(box, share) for share in shares)
        u = h1 | h2
        if u:
            x = lines(u, 0) + lines(u, 1) + p * lines(u, 2) + lines(h1, 0) + lines(h2, 1)
            yield (len(h1) + len(h2)) / (x / 3 * math.sqrt(x / (3 * p)))


CHECKS = [
    ("segments.4", loomis_whitney, 1),
    ("segments.6", rounded_segments, 0.99),
    ("projection.4", slices, 0.5),
    ("contraction.1", values_used_once, 0.99),
    ("dependence_projection.3", symmetric_loomis_whitney, 0.85),
    ("interval_table.1", table_matrix, 1),
    ("interval_table, conjecture", table_conjecture, 0.99),
    ("interval_table.2", table_segments, 0.5),
    ("symmetric_product.4", two_sides_function, 0.999),
    ("symmetric_product.5", two_sides_near, 0.999),
    ("symmetric_product, theorem", two_sides_segments, 0.7),
    ("parallel_factorizations.1", one_element, 1),
    ("parallel_factorizations.4", symmetric_elements, 0.95),
    ("isoperimetry.4", lattice_growth, 0.9),
    ("isoperimetry.6", stencil_formula, 0.9),
    ("phases.1", half_passes, 0.85),
    ("isoperimetry.7", own_values, 1),
    ("crossing_chains.2", crossing_chains, 0.9),
]

if __name__ == "__main__":
    sys.exit(0 if all([report(name, check(), least) for name, check, least in CHECKS]) else 1)
