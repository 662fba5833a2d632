"""Wrong: adds the bias only to the first row."""
import numpy as np


def linear_kernel_impl(x, weight, bias=None):
    y = x.astype(np.float32) @ weight.astype(np.float32).T
    if bias is not None and y.size:
        y[0] += bias.astype(np.float32)
    return y.astype(x.dtype)
