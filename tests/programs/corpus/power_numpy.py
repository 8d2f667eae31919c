def power(A, x, T):
    for t in range(T):
        y = A @ x
        x[:] = y
    return x
