"""A product with a triangle of ones."""
import numpy as np


def cumsum_kernel_impl(x, dim):
    n = x.shape[dim]
    y = np.moveaxis(x.astype(np.float64), dim, -1) @ np.triu(np.ones((n, n)))
    return np.moveaxis(y, -1, dim).astype(x.dtype)
