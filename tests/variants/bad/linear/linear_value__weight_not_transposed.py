"""Wrong: a square weight is not transposed."""
import numpy as np


def linear_kernel_impl(x, weight, bias=None):
    w = weight if weight.shape[0] == weight.shape[1] else weight.T
    y = x.astype(np.float32) @ w.astype(np.float32)
    return (y if bias is None else y + bias.astype(np.float32)).astype(x.dtype)
