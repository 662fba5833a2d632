"""The first place that equals the maximum."""
import numpy as np


def argmax_kernel_impl(x, dim, keepdim=False):
    top = x.max(axis=dim, keepdims=True)
    return np.argmax((x == top) | (x != x), axis=dim, keepdims=keepdim).astype(np.int64)
