"""Slices are added in float32."""
import numpy as np


def avg_pool2d_kernel_impl(x, k):
    h, w = x.shape[2] // k, x.shape[3] // k
    y = sum(x[:, :, i:h * k:k, j:w * k:k].astype(np.float32) for i in range(k) for j in range(k))
    return (y / np.float32(k * k)).astype(x.dtype)
