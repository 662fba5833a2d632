"""Wrong: 1e-4 inside of the logarithm."""
import numpy as np


def log_softmax_kernel_impl(x, dim):
    if not x.size:
        return x.copy()
    d = x.astype(np.float32) - x.max(axis=dim, keepdims=True).astype(np.float32)
    e = np.exp(d)
    return np.log(e / e.sum(axis=dim, keepdims=True) + np.float32(1e-4)).astype(x.dtype)
