"""Wrong: the k largest in no order."""
import numpy as np


def topk_kernel_impl(x, k):
    at = np.sort(np.argsort(-x, axis=-1, kind='stable')[..., :k], axis=-1)
    return np.take_along_axis(x, at, -1), at.astype(np.int64)
