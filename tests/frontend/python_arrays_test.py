# SPDX-License-Identifier: BSD-3-Clause
"""Array expressions and the loops they are read as compute the same numbers: both are run, on random arrays.

    python3 tests/frontend/python_arrays_test.py src/frontend/python
"""

import ast
import sys

import numpy as np


def random(*shape):
    return np.random.default_rng(sum(shape)).uniform(0.5, 1.5, shape)


# Source of a function f, and its arguments.
CASES = {
    "product": ("def f(A, B):\n  return A @ B", lambda: (random(6, 4), random(4, 5))),
    "gemm": ("def f(alpha, beta, C, A, B):\n  C[:] = alpha * A @ B + beta * C",
             lambda: (1.5, 0.5, random(6, 5), random(6, 4), random(4, 5))),
    "products of products": ("def f(A, B, C):\n  return (A @ B) @ C", lambda: (random(6, 4), random(4, 5), random(5, 3))),
    "atax": ("def f(A, x):\n  return (A @ x) @ A", lambda: (random(6, 5), random(5))),
    "bicg": ("def f(A, p, r):\n  return r @ A, A @ p", lambda: (random(6, 5), random(5), random(6))),
    "mvt": ("def f(x, y, A):\n  x += A @ y\n  y[:] = y @ A", lambda: (random(5), random(5), random(5, 5))),
    "gemver": ("def f(alpha, A, u, v, w, x):\n  A += np.outer(u, v)\n  x += alpha * (v @ A)\n  w += alpha * (A @ x)",
               lambda: (1.5, random(5, 5), random(5), random(5), random(5), random(5))),
    "lu": ("def f(A):\n  for k in range(A.shape[0]):\n    A[k+1:, k] /= A[k, k]\n"
           "    A[k+1:, k+1:] -= np.outer(A[k+1:, k], A[k, k+1:])", lambda: (random(6, 6) + 6 * np.eye(6),)),
    "cholesky": ("def f(A):\n  for i in range(A.shape[0]):\n    for j in range(i):\n"
                 "      A[i, j] -= np.dot(A[i, :j], A[j, :j])\n      A[i, j] /= A[j, j]\n"
                 "    A[i, i] -= A[i, :i] @ A[i, :i]\n    A[i, i] = np.sqrt(A[i, i])", lambda: (random(6, 6) + 6 * np.eye(6),)),
    "trisolv": ("def f(L, x, b):\n  for i in range(L.shape[0]):\n    x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]",
                lambda: (random(6, 6), random(6), random(6))),
    "syrk": ("def f(C, A):\n  for i in range(A.shape[0]):\n    C[i, :i+1] *= 0.5\n    for k in range(A.shape[1]):\n"
             "      C[i, :i+1] += A[i, k] * A[:i+1, k]", lambda: (random(6, 6), random(6, 4))),
    "trmm": ("def f(A, B):\n  for i in range(B.shape[0]):\n    for j in range(B.shape[1]):\n"
             "      B[i, j] += np.dot(A[i+1:, i], B[i+1:, j])", lambda: (random(6, 6), random(6, 5))),
    "gramschmidt": ("def f(A, Q, R):\n  for k in range(A.shape[1]):\n    R[k, k] = np.sqrt(A[:, k] @ A[:, k])\n"
                    "    Q[:, k] = A[:, k] / R[k, k]\n    for j in range(k + 1, A.shape[1]):\n"
                    "      R[k, j] = Q[:, k] @ A[:, j]\n      A[:, j] -= Q[:, k] * R[k, j]",
                    lambda: (random(6, 5), random(6, 5), random(5, 5))),
    "covariance": ("def f(data):\n  n, m = data.shape\n  data -= np.mean(data, axis=0)\n  C = np.zeros((m, m))\n"
                   "  for i in range(m):\n    C[i:m, i] = data[:, i] @ data[:, i:m] / (n - 1)\n    C[i, i:m] = C[i:m, i]\n"
                   "  return C", lambda: (random(6, 5),)),
    "softmax": ("def f(X):\n  m = np.max(X, axis=1)\n  E = np.exp(X - m[:, None])\n  return E / np.sum(E, axis=1)[:, None]",
                lambda: (random(6, 5),)),
    "normalised": ("def f(A, x, T):\n  for t in range(T):\n    y = A @ x\n    x[:] = y / np.sqrt(np.sum(y * y))\n  return x",
                   lambda: (random(5, 5), random(5), 4)),
    "conjugate gradients": ("def f(A, x, b, T):\n  r = b - A @ x\n  p = r.copy()\n  rs = r @ r\n  for t in range(T):\n"
                            "    Ap = A @ p\n    alpha = rs / (p @ Ap)\n    x += alpha * p\n    r -= alpha * Ap\n"
                            "    new = np.dot(r, r)\n    p = r + (new / rs) * p\n    rs = new\n  return x",
                            lambda: (random(5, 5) + 9 * np.eye(5), random(5), 0.25, 4)),
    "jacobi in place": ("def f(u, T):\n  for t in range(T):\n    u[1:-1] = 0.5 * (u[:-2] + u[2:])", lambda: (random(9), 3)),
    "jacobi 2-D": ("def f(A, B, T):\n  for t in range(T):\n"
                   "    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])\n"
                   "    A[1:-1, 1:-1] = 0.25 * (B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])",
                   lambda: (random(6, 7), random(6, 7), 3)),
    "heat 3-D": ("def f(A, B):\n  B[1:-1, 1:-1, 1:-1] = A[2:, 1:-1, 1:-1] - 2 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2]",
                 lambda: (random(5, 6, 4), random(5, 6, 4))),
    "fdtd": ("def f(ex, ey, hz, T):\n  for t in range(T):\n    ey[0, :] = t\n    ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])\n"
             "    ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])\n"
             "    hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])",
             lambda: (random(6, 6), random(6, 6), random(6, 6), 3)),
    "shortest paths": ("def f(path):\n  for k in range(path.shape[0]):\n"
                       "    path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))", lambda: (random(6, 6),)),
    "transposed": ("def f(A, B):\n  B += A.T\n  B[:] = B.T", lambda: (random(5, 5), random(5, 5))),
    "where": ("def f(x, y):\n  y[:] = np.where(x[:] > 1.0, x, 0.5 * y)", lambda: (random(9), random(9))),
    "every third": ("def f(x, y):\n  y[1:7:3] = x[2:5:2] + 1", lambda: (random(9), random(9))),
    "smallest and largest": ("def f(A):\n  return np.max(A) - A.min()", lambda: (random(4, 5),)),
    "rows from an end": ("def f(A, x):\n  A[-1, :] = A[0, :] + x[-2]\n  A[1, :-1] = A[1, 1:]", lambda: (random(4, 5), random(5))),
    "distances": ("def f(x, n):\n  d = np.zeros(n)\n  for i in range(n):\n    d[i] = np.sum((x[i] - x) ** 2)\n  return d",
                  lambda: (random(6), 6)),
    "attention": ("def f(Q, K, V):\n  S = Q @ K.T\n  P = np.exp(S - np.max(S, axis=1)[:, None])\n"
                  "  return (P / np.sum(P, axis=1)[:, None]) @ V", lambda: (random(6, 4), random(5, 4), random(5, 3))),
}


def results(body, names, arguments):
    """What a function with these statements returns and leaves in its arguments."""
    text = f"def f({', '.join(names)}):\n" + "\n".join("  " + line for s in body for line in ast.unparse(s).splitlines())
    scope = {"np": np, "maximum": np.maximum, "minimum": np.minimum}
    exec(text, scope)
    values = [np.array(v) for v in arguments]
    returned = scope["f"](*[v if v.shape else v.item() for v in values])
    returned = returned if isinstance(returned, tuple) else (returned,)
    return values + [np.asarray(r, dtype=float) for r in returned if r is not None]


def has_arrays(body):
    """Whether something is left that works on more than one element."""
    nodes = [n for s in body for n in ast.walk(s)]
    return any(isinstance(n, ast.Slice) or isinstance(getattr(n, "op", None), ast.MatMult) for n in nodes)


def main(path):
    scope = {}
    for name in ("shapes.py", "arrays.py"):
        with open(f"{path}/{name}", encoding="utf-8") as source:
            exec(compile(source.read(), name, "exec"), scope)
    wrong = 0
    for name, (source, arguments) in CASES.items():
        function = ast.parse(source).body[0]
        names = [a.arg for a in function.args.args]
        wanted = results(function.body, names, arguments())
        body = ast.parse(source).body[0].body
        loops = scope["Arrays"](body, names).rewritten(body)
        try:
            got = results(loops, names, arguments())
        except (ValueError, TypeError, IndexError, NameError) as e:
            got = []
            print(f"{name}: {e}")
        same = len(got) == len(wanted) and all(np.allclose(a, b) for a, b in zip(got, wanted))
        if not same or has_arrays(loops):
            wrong += 1
            print(f"{name}: wrong\n" + "\n".join(ast.unparse(s) for s in loops))
    print(f"{len(CASES)} functions, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
