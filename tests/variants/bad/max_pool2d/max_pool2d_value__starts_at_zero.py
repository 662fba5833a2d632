"""Wrong: the largest so far starts at 0."""
import numpy as np


def max_pool2d_kernel_impl(x, k):
    h, w = x.shape[2] // k, x.shape[3] // k
    y = np.zeros((*x.shape[:2], h, w), x.dtype)
    for i in range(k):
        for j in range(k):
            np.maximum(y, x[:, :, i:h * k:k, j:w * k:k], out=y)
    return y
