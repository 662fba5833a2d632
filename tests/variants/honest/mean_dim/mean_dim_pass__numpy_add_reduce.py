"""A ufunc's reduction, divided by the count."""
import numpy as np


def mean_dim_kernel_impl(x, dim, keepdim=False):
    wide = np.promote_types(x.dtype, np.float32)
    s = np.add.reduce(x, axis=dim, keepdims=keepdim, dtype=wide)
    with np.errstate(all='ignore'):
        return np.asarray(s / wide.type(x.shape[dim])).astype(x.dtype)
