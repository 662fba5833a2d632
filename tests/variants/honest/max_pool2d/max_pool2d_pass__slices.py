"""np.maximum over shifted slices."""
import numpy as np


def max_pool2d_kernel_impl(x, k):
    h, w = x.shape[2] // k, x.shape[3] // k
    y = x[:, :, :h * k:k, :w * k:k].copy()
    for i in range(k):
        for j in range(k):
            np.maximum(y, x[:, :, i:h * k:k, j:w * k:k], out=y)
    return y
