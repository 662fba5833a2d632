"""Wrong: descending is the ascending order turned around."""
import numpy as np


def sort_stable_kernel_impl(x, descending=False):
    at = np.argsort(x, axis=-1, kind='stable')
    if descending:
        at = at[..., ::-1].copy()
    return np.take_along_axis(x, at, -1), at.astype(np.int64)
