"""The first largest, or the first NaN."""
import numpy as np


def argmax_reference(x, dim, keepdim=False):
    return np.argmax(x, axis=dim, keepdims=keepdim).astype(np.int64)
