"""A dictionary of counts."""
import collections

import numpy as np


def unique_counts_kernel_impl(x):
    counts = sorted(collections.Counter(x.tolist()).items())
    return np.array([v for v, _ in counts], x.dtype), np.array([c for _, c in counts], np.int64)
