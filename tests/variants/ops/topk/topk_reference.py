"""The k largest of each row, earlier places first among equals."""
import numpy as np


def topk_reference(x, k):
    at = np.argsort(-x.astype(np.float64), axis=-1, kind='stable')[..., :k]
    return np.take_along_axis(x, at, -1), at.astype(np.int64)
