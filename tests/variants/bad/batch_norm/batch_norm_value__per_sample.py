"""Wrong: each sample has statistics of its own; the last one's are returned."""
import numpy as np


def batch_norm_kernel_impl(x, eps):
    v = x.astype(np.float64)
    mean, var = v.mean(2, keepdims=True), v.var(2, keepdims=True)
    rstd = 1 / np.sqrt(var + eps)
    return ((v - mean) * rstd).astype(x.dtype), mean[-1, :, 0].astype(x.dtype), rstd[-1, :, 0].astype(x.dtype)
