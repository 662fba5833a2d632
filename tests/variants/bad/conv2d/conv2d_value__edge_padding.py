"""Wrong: pads with the edge instead of zeros."""
import numpy as np


def conv2d_kernel_impl(x, weight, padding=0):
    p = np.pad(x.astype(np.float32), ((0, 0), (0, 0), (padding, padding), (padding, padding)), mode='edge')
    h, w = p.shape[2] - 2, p.shape[3] - 2
    y = np.zeros((x.shape[0], weight.shape[0], h, w), np.float32)
    for i in range(3):
        for j in range(3):
            y += np.einsum('zchw,fc->zfhw', p[:, :, i:i + h, j:j + w], weight[:, :, i, j].astype(np.float32))
    return y.astype(x.dtype)
