"""Wrong: the second output is missing."""
import numpy as np


def max_dim_kernel_impl(x, dim, keepdim=False):
    return np.max(x, axis=dim, keepdims=keepdim)
