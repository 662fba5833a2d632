"""numpy's rint."""
import numpy as np


def round_even_kernel_impl(x, step):
    with np.errstate(all='ignore'):
        return np.rint(x.astype(np.float64) * step).astype(x.dtype)
