# SPDX-License-Identifier: BSD-3-Clause
"""The package against the command and against what is known: bounds, counts, plans, schedules, graphs, errors.

    python3 tests/python/analysis_test.py COMMAND SOURCE_FOLDER
"""

import doctest
import importlib
import json
import pathlib
import pickle
import subprocess
import sys
import unittest

import networkx
import sympy

import loops
import redblue
from redblue.formulas import symbol, to_sympy

COMMAND, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
GEMM = str(ROOT / "kernels/gemm.c")
SIZES = {"NI": 100, "NJ": 110, "NK": 120, "S": 256}
TEXT = "NI=100,NJ=110,NK=120,S=256"


def command(*words):
    return json.loads(subprocess.run([COMMAND, *words, "--json"], check=True, capture_output=True, text=True).stdout)


class AsTheCommand(unittest.TestCase):
    def test_bound(self):
        self.assertEqual(redblue.bound(GEMM, SIZES).to_dict(), command("bound", GEMM, "--set", TEXT))
        chain = "T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il"
        self.assertEqual(redblue.bound(chain).to_dict(), command("bound", "--einsum", chain))
        assumed = redblue.bound(ROOT / "kernels/2mm.c", scratch=["E"], assume="NI >= NJ", small=["NL"], processors=4)
        self.assertEqual(assumed.to_dict(), command("bound", str(ROOT / "kernels/2mm.c"), "--scratch", "E", "--assume", "NI >= NJ",
                                                    "--small", "NL", "-p", "4"))

    def test_all_kernels(self):
        for path in sorted(ROOT.glob("kernels/*.c"))[::6]:
            self.assertEqual(redblue.bound(path).to_dict(), command("bound", str(path)), path)

    def test_others(self):
        self.assertEqual(redblue.count(GEMM, NI=10).to_dict(), command("count", GEMM, "--set", "NI=10"))
        schedule = redblue.tile(GEMM, NI=20, NJ=20, NK=20, S=64, effort=1).to_dict()
        del schedule["code"], schedule["no_code"]
        self.assertEqual(schedule, command("tile", GEMM, "--set", "NI=20,NJ=20,NK=20,S=64", "--effort", "1"))
        replays = command("replay", GEMM, "--set", "NI=20,NJ=20,NK=20,S=64")
        self.assertEqual(redblue.replay(GEMM, NI=20, NJ=20, NK=20, S=64).lru.moved, replays["lru"]["moved"])
        text = command("explain", GEMM)["text"]
        self.assertEqual(redblue.explain(GEMM), text)
        self.assertEqual(redblue.bound(GEMM).explain(), text)
        for kernel, options in (("gemm", dict(m=500, n=400, k=300)), ("syrk", dict(n=512, k=256)), ("cholesky", dict(n=512)),
                                ("lu", dict(n=512)), ("trsm", dict(n=512, k=64)), ("symm", dict(n=512, k=64))):
            words = [w for name, value in options.items() for w in ("-" + name, str(value))]
            told = command("plan", kernel, *words, "-p", "7")
            plan = redblue.plan(kernel, 7, **options)
            name = told["decomposition"]
            self.assertEqual(plan.decomposition, name["name"] if isinstance(name, dict) else name)
            self.assertEqual((plan.words, plan.bound, plan.messages), (told["words_per_rank"], told["lower_bound"], told["messages"]))

    def test_errors_have_its_words(self):
        for call, words in ((lambda: redblue.bound(GEMM, S=2), ["bound", GEMM, "--set", "S=2"]),
                            (lambda: redblue.bound("nowhere.c"), ["bound", "nowhere.c"]),
                            (lambda: redblue.bound(GEMM, X=3), ["bound", GEMM, "--set", "X=3"]),
                            (lambda: redblue.bound("ij,jk->il"), ["bound", "--einsum", "ij,jk->il"]),
                            (lambda: redblue.tile(GEMM, S=64), ["tile", GEMM, "--set", "S=64"]),
                            (lambda: redblue.plan("gemm", 0, m=1, n=1, k=1), ["plan", "gemm", "-m1", "-n1", "-k1", "-p0"]),
                            (lambda: redblue.explain(GEMM, statement="S9"), ["explain", GEMM, "--statement", "S9"])):
            said = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
            self.assertEqual(said.returncode, 2)
            with self.assertRaises(redblue.Error) as caught:
                call()
            self.assertEqual("redblue: " + str(caught.exception), said.stderr.strip())
            self.assertIsInstance(caught.exception, ValueError)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.asked, again.found), (caught.exception.asked, caught.exception.found))


class Results(unittest.TestCase):
    def test_sympy(self):
        bound = redblue.bound(loops.gemm, n=100, m=110, k=120, S=256)
        n, m, k, s = (symbol(x) for x in ("n", "m", "k", "S"))
        self.assertEqual(sympy.simplify(bound.best.leading - 2 * n * m * k / sympy.sqrt(s)), 0)
        for b in bound.bounds:
            self.assertAlmostEqual(float(b.formula.subs({n: 7, m: 9, k: 8, s: 64})), b.at(n=7, m=9, k=8, S=64), 6)
        self.assertEqual(bound.formula, bound.best.formula)
        for text in ("2*N^3/(3*sqrt(S)) - N^2/sqrt(S)", "floor(N/2) + ceil(M/3)", "min(N, M) + max(N, 3)*log2(N)", "lambda^2/3"):
            values = {"N": 7.0, "M": 11.0, "S": 16.0, "lambda": 5.0}
            expected = redblue.formulas.at(text, values)
            self.assertAlmostEqual(float(to_sympy(text).subs({symbol(x): v for x, v in values.items()})), expected, 9)

    def test_sources_of_all_kinds(self):
        text = "def f(A, n):\n    for i in range(1, n):\n        A[i] = A[i - 1]\n"
        for what in (text, "void f(int n, double *A) { for (int i = 1; i < n; i++) A[i] = A[i-1]; }"):
            self.assertEqual(redblue.bound(what).program, "f")
        with self.assertRaisesRegex(redblue.Error, r"^<source>:2: "):
            redblue.bound("def f(A, n):\n    while n: A[0] = 1\n")
        with self.assertRaisesRegex(redblue.Error, r"analysis_test.py:\d+: "):
            redblue.bound(Results.unreadable)
        with self.assertRaisesRegex(redblue.Error, "its source cannot be read"):
            redblue.bound(print)
        with self.assertRaisesRegex(redblue.Error, "no source"):
            redblue.bound(3)
        with self.assertRaisesRegex(redblue.Error, "no whole number"):
            redblue.bound(text, n="x")

    @staticmethod
    def unreadable(x):
        while x[0]:
            x[0] = 0

    def test_shown(self):
        bound = redblue.bound(GEMM, SIZES)
        for picture in (bound.curves([16, 64, 256, 1024]), bound.graph()):
            self.assertIn("<svg", picture._repr_svg_())
        self.assertIn("<table>", bound._repr_html_())
        self.assertNotIn("<script", redblue.bound("def f(A, n):\n  for i in range(n):\n    A[i] = 1\n")._repr_html_())
        self.assertIn("<table>", redblue.tile("ij,jk->ik", Ni=9, Nj=9, Nk=9, S=20, effort=1)._repr_html_())
        self.assertIn("<table>", redblue.plan("gemm", 4, m=9, n=9, k=9)._repr_html_())
        pieces = bound.by_memory()
        self.assertIsNone(pieces[-1].last)
        self.assertEqual(bound.at(S=300).value, redblue.bound(GEMM, {**SIZES, "S": 300}).value)

    def test_sound_at_small_sizes(self):
        """Bounds below proved optima."""
        for what, sizes in (("ij,jk->ik", dict(Ni=2, Nj=2, Nk=2)), (loops.lu, dict(n=4)), (loops.trisolv, dict(n=5))):
            graph = redblue.pebble.graph(what, sizes)
            for s in (graph.least_words, graph.least_words + 2):
                best = graph.optimum(s, seconds=20)
                self.assertLessEqual(graph.bound(s)[0], best.upper)
                if s >= 3:
                    self.assertLessEqual(redblue.bound(what, {**sizes, "S": s}).value, best.upper)


class Graphs(unittest.TestCase):
    def test_networkx_and_back(self):
        for text in ("matmul:2,2,2", "fft:4", "lu:3", "diamond:3,3", "tree:8,2"):
            graph = redblue.pebble.graph(text)
            drawn = graph.to_networkx()
            self.assertTrue(networkx.is_directed_acyclic_graph(drawn))
            self.assertEqual((drawn.number_of_nodes(), drawn.number_of_edges()), (len(graph), graph.edges))
            again = redblue.pebble.from_networkx(drawn)
            s = graph.least_words + 1
            self.assertEqual(again.optimum(s, seconds=20).upper, graph.optimum(s, seconds=20).upper)
            self.assertEqual(set(again.to_networkx().edges), set(drawn.edges))

    def test_of_networkx(self):
        path = networkx.DiGraph([(1, 2), (2, 3)])
        self.assertEqual(redblue.pebble.from_networkx(path).optimum(2).upper, 2)
        path.add_edge(3, 1)
        with self.assertRaisesRegex(redblue.Error, "a cycle"):
            redblue.pebble.from_networkx(path)
        with self.assertRaisesRegex(redblue.Error, "no direction"):
            redblue.pebble.from_networkx(networkx.Graph([(1, 2)]))
        with self.assertRaisesRegex(redblue.Error, "two vertices called 1"):
            redblue.pebble.from_networkx(networkx.DiGraph([(1, "1")]))
        with self.assertRaises(redblue.Error):
            redblue.pebble.graph("matmul:2,2").optimum(3)
        with self.assertRaises(redblue.Error):
            redblue.pebble.graph("matmul:2,2,2").schedule(2)

    def test_schedules(self):
        graph = redblue.pebble.graph("cholesky:6")
        found = graph.schedule(12, seconds=0.2)
        self.assertGreaterEqual(found.moved, graph.bound(12)[0])
        self.assertEqual(len(found.order), len(graph) - sum(graph._graph.inputs()))
        self.assertIn("<svg", graph._repr_svg_())
        self.assertEqual({move[0] for move in graph_moves()}, {"load", "compute", "store"} | ({"erase"} & {m[0] for m in graph_moves()}))


def graph_moves():
    return redblue.pebble.graph("diamond:3,3").optimum(3).moves


class Examples(unittest.TestCase):
    def test_docstrings(self):
        for name in ("errors", "formulas", "bounds", "counting", "schedules", "plans", "pebble", "kernels"):
            with self.subTest(name):
                self.assertEqual(doctest.testmod(importlib.import_module("redblue." + name)).failed, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
