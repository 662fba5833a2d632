"""Wrong: one group whatever groups says."""
import numpy as np


def group_norm_kernel_impl(x, groups, eps):
    v = x.astype(np.promote_types(x.dtype, np.float32)).reshape(x.shape[0], -1)
    d = v - v.mean(axis=-1, keepdims=True)
    return (d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + eps)).reshape(x.shape).astype(x.dtype)
