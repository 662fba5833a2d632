"""Wrong: runs on over the ends of rows."""
import numpy as np


def cumprod_kernel_impl(x, dim):
    return np.cumprod(x).reshape(x.shape)
