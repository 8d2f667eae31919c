# SPDX-License-Identifier: BSD-3-Clause
"""Asks redblue for schedules and bounds of one program and holds them against runs of the source."""
import json
import re
import resource
import subprocess

from affine_programs import driver

SLOW = 20  # seconds for one call of redblue; what takes longer is given up, and counted as slow


class Result:
    def __init__(self):
        self.schedules, self.refused, self.faults = [], None, []
        self.changed = self.bounds = self.slow = 0
        self.slowest = (0, "")


def settings(values):
    return ",".join(f"{name}={value}" for name, value in values.items())


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Check:
    def __init__(self, redblue, orders, program, rng, folder):
        self.redblue, self.orders, self.program, self.rng, self.folder = redblue, orders, program, rng, folder
        self.result, self.unused = Result(), set()
        depth = max((line.count("  ") for line in program.text().splitlines() if "for (" in line), default=1)
        self.most = 24 if depth <= 2 else 17 if depth == 3 else 11

    def random_sizes(self, least, most):
        return {p: self.rng.randint(least, most) for p in self.program.sizes}

    def at(self, sizes):
        """As --set has it: without sizes that no loop and no subscript names."""
        return settings({name: value for name, value in sizes.items() if name not in self.unused})

    def ask(self, command, sizes, *options):
        """JSON, or nothing where redblue refuses; anything else is a fault."""
        arguments = [command, "source.c", "--set", self.at(sizes), "--json", *options]
        begin = processor_seconds()
        try:
            done = subprocess.run([self.redblue, *arguments], cwd=self.folder, capture_output=True, text=True,
                                  timeout=SLOW)
        except subprocess.TimeoutExpired:
            self.result.slow += 1
            return None
        self.result.slowest = max(self.result.slowest, (processor_seconds() - begin, " ".join(arguments)))
        if done.returncode == 0:
            return json.loads(done.stdout)
        lines = done.stderr.strip().splitlines()
        unused = re.search(r"--set (\w+): f has no such parameter", done.stderr)
        if unused:
            self.unused.add(unused[1])
            return self.ask(command, sizes, *options)
        if done.returncode != 2 or len(lines) != 1:
            self.fault("refusal", f"{' '.join(arguments)}: status {done.returncode}, {' | '.join(lines)[:300]}")
        elif not self.result.refused:
            self.result.refused = lines[0]
        return None

    def fault(self, kind, what):
        self.result.faults.append((kind, what))

    def tile(self, number, options):
        """A tiled schedule at random sizes, and what it moves against the bound."""
        at = self.random_sizes(5, self.most) | {"S": self.rng.choice([12, 16, 24, 40, 100, 400])}
        name = f"tiled{number}.c"
        found = self.ask("tile", at, "-o", name, *options)
        if found is None:
            return
        self.result.schedules.append(name)
        self.hold(f"tile {self.at(at)}", found["bound"], [found["own"], found["tiled"]])

    def hold(self, what, bound, replays):
        for replay in replays:
            for way in ("belady", "lru", "tiles"):
                moved = replay.get(way)
                if not moved or way == "tiles" and replay.get("tile_words", 0) > 1e9:
                    continue
                self.result.bounds += 1
                if moved["loads"] + moved["stores"] < bound - 1e-6:
                    self.fault("bound", f"{what}: {way} moves {moved}, the bound is {bound}")

    def replay(self, sizes):
        """The program as written at sizes of its own, against the bound there."""
        at = sizes | {"S": self.rng.choice([12, 16, 33])}
        bound, moved = self.ask("bound", at), self.ask("replay", at)
        if bound and moved:
            best = (bound["best"] or {}).get("value")
            self.hold(f"replay {self.at(at)}", best or 0, [moved])

    def other_orders(self):
        """Orders that no search would choose, and those made for speed."""
        command = [self.orders, "source.c", self.folder, str(self.rng.randrange(1000))]
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=2 * SLOW)
        except subprocess.TimeoutExpired:
            self.result.slow += 1
            return
        if done.returncode != 0:
            self.fault("orders", f"status {done.returncode}: {done.stderr.strip()[:300]}")
        names = done.stdout.split()
        self.result.changed += any(n.startswith("fast") for n in names)
        self.result.schedules += names

    def measure(self):
        at = self.random_sizes(5, self.most)
        found = self.ask("measure", at, "--repeat", "1", "-o", "measured.c")
        if found is None:
            return
        self.result.schedules.append("measured.c")
        if not found["same_results"]:
            self.fault("measure", f"{self.at(at)}: results differ")

    def run_sizes(self):
        sizes = [[n] * len(self.program.sizes) for n in (0, 1, 2, 3)]
        for most in (3, 8, self.most, self.most, self.most):
            sizes.append(list(self.random_sizes(0, most).values()))
        return sizes

    def run(self, measured, compilers):
        with open(f"{self.folder}/source.c", "w") as file:
            file.write(self.program.text())
        self.tile(0, ["--effort", "1"])
        if self.result.refused or self.result.slow:
            return self.result
        self.tile(1, ["--effort", "0", "--for", "lru"])
        self.replay(self.random_sizes(0, 2))
        self.replay(self.random_sizes(3, self.most // 2))
        if self.orders and self.result.slow == 0:
            self.other_orders()
        if measured:
            self.measure()
        if self.result.schedules:
            self.result.faults += driver.faults(self.program, self.result.schedules, self.run_sizes(), self.folder,
                                                compilers)
        return self.result


def reason(refused):
    """A refusal without what belongs to one program only."""
    text = re.sub(r"\S*source\.c(:\d+)?:? ?", "", refused)
    return re.sub(r"'[^']*'", "'..'", re.sub(r"\d+", "#", text))
