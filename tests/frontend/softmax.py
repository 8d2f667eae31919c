import numpy as np
def softmax(X, Y, n, m):
    T = np.zeros((n,))
    for i in range(n):
        s = 0.0
        for j in range(m):
            T[i] = max(T[i], X[i, j])
        for j in range(m):
            s += np.exp(X[i, j] - T[i])
        for j in range(m):
            Y[i, j] = np.exp(X[i, j] - T[i]) / s if m > 3 else 0
    return Y
