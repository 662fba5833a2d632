"""Wrong: the nearest pixel."""
import numpy as np


def bilinear_kernel_impl(x, height, width):
    i = np.arange(height) * x.shape[1] // height
    j = np.arange(width) * x.shape[2] // width
    return x[:, i][:, :, j].copy()
