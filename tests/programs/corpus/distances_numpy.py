import numpy as np


def distances(X, Y, D):
    for i in range(X.shape[0]):
        for j in range(Y.shape[0]):
            D[i, j] = np.sum((X[i, :] - Y[j, :]) ** 2)
