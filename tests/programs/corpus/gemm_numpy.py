def gemm(A, B, C):
    C += A @ B
