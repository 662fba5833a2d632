"""Wrong: infinities become the largest finite number."""
import numpy as np


def neg_kernel_impl(x):
    if x.dtype.kind != 'f':
        return -x
    top = np.finfo(x.dtype).max
    return np.clip(-x, -top, top)
