import numpy as np


def attention(Q, K, V):
    P = np.exp(Q @ K.T)
    P = P / np.sum(P, axis=1)[:, None]
    return P @ V
