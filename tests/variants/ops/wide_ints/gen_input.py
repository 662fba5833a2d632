"""64-bit integers that no double holds, and the ends of their range."""
import numpy as np


def pair(n):
    a = np.random.randint(-2**62, 2**62, n).astype(np.int64) | 1
    b = np.random.randint(1, 4, n).astype(np.int64)
    a[0] = -2**63
    return (a, b)


def get_correctness_tests():
    return [(pair(n), {}) for n in (5, 33, 1000)]
