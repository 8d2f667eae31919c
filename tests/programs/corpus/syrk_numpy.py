def syrk(A, C):
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            C[i, :i + 1] += A[i, k] * A[:i + 1, k]
