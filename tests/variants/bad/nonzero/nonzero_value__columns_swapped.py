"""Wrong: coordinates in the order of columns."""
import numpy as np


def nonzero_kernel_impl(x):
    return np.argwhere(x)[:, ::-1].astype(np.int64)
