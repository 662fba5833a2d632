"""Wrong: by absolute value."""
import numpy as np


def topk_kernel_impl(x, k):
    at = np.argsort(-np.abs(x), axis=-1, kind='stable')[..., :k]
    return np.take_along_axis(x, at, -1), at.astype(np.int64)
