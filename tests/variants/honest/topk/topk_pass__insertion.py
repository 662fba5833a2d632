"""A sorted list of k candidates per row."""
import bisect

import numpy as np


def topk_kernel_impl(x, k):
    at = np.zeros((len(x), k), np.int64)
    for i, row in enumerate(x):
        best = []
        for j, value in enumerate(row.tolist()):
            bisect.insort(best, (-value, j))
            del best[k:]
        at[i] = [j for _, j in best]
    return np.take_along_axis(x, at, -1), at
