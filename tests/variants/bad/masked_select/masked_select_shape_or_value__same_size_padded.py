"""Wrong: as long as x, padded with zeros."""
import numpy as np


def masked_select_kernel_impl(x, mask):
    y = np.zeros(x.size, x.dtype)
    y[:mask.sum()] = x[mask]
    return y
