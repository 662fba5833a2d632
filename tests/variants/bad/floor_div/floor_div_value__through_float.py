"""Wrong: through float32, which has 24 bits."""
import numpy as np


def floor_div_kernel_impl(a, b):
    with np.errstate(all='ignore'):
        return np.floor(a.astype(np.float32) / b.astype(np.float32)).astype(a.dtype)
