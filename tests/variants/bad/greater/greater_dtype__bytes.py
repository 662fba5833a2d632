"""Wrong: uint8 instead of bool."""
import numpy as np


def greater_kernel_impl(a, b):
    return (a > b).astype(np.uint8)
