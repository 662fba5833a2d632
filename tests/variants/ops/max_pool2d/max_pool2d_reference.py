"""Windows of k by k side by side; NaN wins."""
import numpy as np


def max_pool2d_reference(x, k):
    h, w = x.shape[2] // k, x.shape[3] // k
    return x[:, :, :h * k, :w * k].reshape(*x.shape[:2], h, k, w, k).max(axis=(3, 5))
