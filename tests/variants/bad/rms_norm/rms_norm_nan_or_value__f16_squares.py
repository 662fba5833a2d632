"""Wrong: squares are made in f16, where 256 squared overflows."""
import numpy as np


def rms_norm_kernel_impl(x, weight, eps):
    with np.errstate(all='ignore'):
        q = (x * x).mean(axis=-1, keepdims=True) + x.dtype.type(eps)
        return (x / np.sqrt(q) * weight).astype(x.dtype)
