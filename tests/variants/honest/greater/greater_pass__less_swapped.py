"""b < a."""
import numpy as np


def greater_kernel_impl(a, b):
    return np.less(b, a)
