"""Wrong: subtracts the maximum from the input itself."""
import numpy as np


def log_softmax_kernel_impl(x, dim):
    if not x.size:
        return x.copy()
    x -= x.max(axis=dim, keepdims=True)
    wide = x.astype(np.float32)
    return (wide - np.log(np.exp(wide).sum(axis=dim, keepdims=True))).astype(x.dtype)
