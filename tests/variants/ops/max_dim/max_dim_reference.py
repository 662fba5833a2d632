"""The largest element and the first place of it; a NaN is larger than all."""
import numpy as np


def max_dim_reference(x, dim, keepdim=False):
    at = np.argmax(x, axis=dim, keepdims=True)
    value = np.take_along_axis(x, at, dim)
    if not keepdim:
        at, value = at.squeeze(dim), value.squeeze(dim)
    return value, at.astype(np.int64)
