"""Wrong: turns an ascending stable sort around, so later ties come first."""
import numpy as np


def topk_kernel_impl(x, k):
    at = np.argsort(x, axis=-1, kind='stable')[..., ::-1][..., :k].copy()
    return np.take_along_axis(x, at, -1), at.astype(np.int64)
