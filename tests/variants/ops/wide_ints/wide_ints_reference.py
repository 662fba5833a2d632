"""a // b and a > b << 60."""
import numpy as np


def wide_ints_reference(a, b):
    return a // b, a > (b << np.int64(60))
