"""lexsort by value, then by place."""
import numpy as np


def topk_kernel_impl(x, k):
    places = np.broadcast_to(np.arange(x.shape[-1]), x.shape)
    at = np.lexsort((places, -x.astype(np.float32)))[..., :k]
    return np.take_along_axis(x, at, -1), at.astype(np.int64)
