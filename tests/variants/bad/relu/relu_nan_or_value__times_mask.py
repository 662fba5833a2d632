"""Wrong: x * (x > 0) makes NaN of -inf."""
import numpy as np


def relu_kernel_impl(x):
    with np.errstate(all='ignore'):
        return x * (x > 0).astype(x.dtype)
