"""One tensordot per batch."""
import numpy as np


def bmm_kernel_impl(a, b):
    wide = np.promote_types(a.dtype, np.float32)
    y = np.empty((a.shape[0], a.shape[1], b.shape[2]), a.dtype)
    for i in range(len(a)):
        y[i] = np.tensordot(a[i].astype(wide), b[i].astype(wide), axes=1)
    return y
