# SPDX-License-Identifier: BSD-3-Clause
# A notebook in percent format: editors that know it show cells, python3 runs it from top to bottom.

# %% [markdown]
# # How far from optimal is this?
#
# redblue proves how many words any execution of a program moves between a fast memory of S words and a slow one, and finds
# schedules that come close.

# %%
import numpy

import redblue

# %% [markdown]
# ## What must move
# An einsum, a file, a source text or a Python function goes in; formulas are sympy's.

# %%
product = redblue.bound("ij,jk->ik", Ni=1000, Nj=1000, Nk=1000, S=1024)
product

# %%
print(product.best)
print("leading term:", product.best.leading)
print(f"{product.value:,.0f} words at least, proved: {product.best.proved}")
for condition in product.ledger:
    print(f"  {condition.status}: {condition.condition}")

# %% [markdown]
# All methods' bounds over S, and the derivation of the best:

# %%
picture = product.curves([64, 256, 1024, 4096, 16384])
picture

# %%
print(product.explain())

# %% [markdown]
# ## A kernel
# Loops over numpy arrays. A call compiles them, in an order chosen for this processor, and gives Python's bits.


# %%
@redblue.kernel
def lu(A, n):
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]


A = numpy.random.default_rng(0).random((60, 60)) + 60 * numpy.eye(60)
lu(A, 60, check=True)

# %% [markdown]
# What it must move, what its own order moves, and what a tiled one does:

# %%
bound = lu.bound(n=60, S=256)
schedule = lu.schedule(n=60, S=256, effort=5)
print(f"needed {bound.value:,.0f} words, as written {schedule.own.belady.moved:,}, as scheduled {schedule.tiled.belady.moved:,}")
assert bound.value <= schedule.tiled.belady.moved <= schedule.own.belady.moved
schedule

# %%
print(schedule.code)

# %% [markdown]
# ## Graphs
# Small computations as graphs: the optimum is searched and proved.

# %%
graph = redblue.pebble.graph("matmul:2,2,2")
best = graph.optimum(5)
print(graph, "moves", best.upper, "words at best, proved:", best.proved)
assert graph.bound(5)[0] <= best.upper
try:
    import networkx

    print("longest path:", networkx.dag_longest_path_length(graph.to_networkx()))
except ImportError:
    print("networkx is not installed")

# %% [markdown]
# ## Plans
# How 7 ranks would share a product, and what they must move:

# %%
plan = redblue.plan("gemm", 7, m=1200, n=1200, k=1200)
print(plan, f"ratio {plan.ratio:.3f}")
plan
