"""np.where, which keeps NaN because NaN < 0 is false."""
import numpy as np


def relu_kernel_impl(x):
    return np.where(x < 0, x.dtype.type(0), x)
