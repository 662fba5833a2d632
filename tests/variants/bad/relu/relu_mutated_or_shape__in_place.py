"""Wrong: works in place and returns its argument."""
import numpy as np


def relu_kernel_impl(x):
    np.maximum(x, 0, out=x)
    return x
