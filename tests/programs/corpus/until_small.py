def halve(x):
    while x[0] > 1:
        x[0] /= 2
