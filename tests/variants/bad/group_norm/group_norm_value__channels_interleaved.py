"""Wrong: group g takes every groups-th channel."""
import numpy as np


def group_norm_kernel_impl(x, groups, eps):
    z, c, h, w = x.shape
    v = x.astype(np.promote_types(x.dtype, np.float32)).reshape(z, c // groups, groups, h, w)
    y = (v - v.mean((1, 3, 4), keepdims=True)) / np.sqrt(v.var((1, 3, 4), keepdims=True) + eps)
    return y.reshape(x.shape).astype(x.dtype)
