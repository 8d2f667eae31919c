def squares(n, x):
    y = [v * v for v in x]
    return y
