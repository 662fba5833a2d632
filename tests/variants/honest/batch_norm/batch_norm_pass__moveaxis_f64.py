"""Channels in front, in float64."""
import numpy as np


def batch_norm_kernel_impl(x, eps):
    v = x.astype(np.float64)
    mean = v.mean((0, 2))
    rstd = 1 / np.sqrt(v.var((0, 2)) + eps)
    y = (v - mean[:, None]) * rstd[:, None]
    return y.astype(x.dtype), mean.astype(x.dtype), rstd.astype(x.dtype)
