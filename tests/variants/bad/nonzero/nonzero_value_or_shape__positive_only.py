"""Wrong: negative numbers are not zero either."""
import numpy as np


def nonzero_kernel_impl(x):
    return np.argwhere(x > 0).astype(np.int64)
