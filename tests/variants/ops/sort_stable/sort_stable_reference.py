"""A stable sort of rows and the places."""
import numpy as np


def sort_stable_reference(x, descending=False):
    key = -x.astype(np.float64) if descending else x
    at = np.argsort(key, axis=-1, kind='stable')
    return np.take_along_axis(x, at, -1), at.astype(np.int64)
