"""Wrong: the third output is the variance."""
import numpy as np


def batch_norm_kernel_impl(x, eps):
    v = x.astype(np.float64)
    mean, var = v.mean((0, 2)), v.var((0, 2))
    y = (v - mean[:, None]) / np.sqrt(var + eps)[:, None]
    return y.astype(x.dtype), mean.astype(x.dtype), var.astype(x.dtype)
