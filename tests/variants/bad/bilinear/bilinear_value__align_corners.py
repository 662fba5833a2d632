"""Wrong: corners are aligned."""
import numpy as np


def places(n, to):
    at = np.arange(to) * (n - 1) / max(to - 1, 1)
    low = np.minimum(at.astype(np.int64), n - 1)
    return low, np.minimum(low + 1, n - 1), at - low


def bilinear_kernel_impl(x, height, width):
    v = x.astype(np.float64)
    a, b, t = places(x.shape[1], height)
    v = v[:, a] * (1 - t)[:, None] + v[:, b] * t[:, None]
    a, b, t = places(x.shape[2], width)
    return (v[:, :, a] * (1 - t) + v[:, :, b] * t).astype(x.dtype)
