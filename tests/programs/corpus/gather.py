def gather(n, x, index, y):
    for i in range(n):
        y[i] = x[index[i]]
