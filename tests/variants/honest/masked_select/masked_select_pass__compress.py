"""np.compress of flattened arrays."""
import numpy as np


def masked_select_kernel_impl(x, mask):
    return np.compress(mask.ravel(), x.ravel())
