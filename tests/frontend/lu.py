"""LU without pivoting."""
def lu(A, N):
    for k in range(N):
        for i in range(k + 1, N):
            A[i, k] = A[i, k] / A[k, k]
        for i in range(k + 1, N):
            for j in range(k + 1, N):
                A[i][j] -= A[i][k] * A[k][j]
