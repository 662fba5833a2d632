"""Wrong: the range that inputs usually have is taken for granted."""
import numpy as np


def unique_counts_kernel_impl(x):
    low = 0 if x.dtype == np.uint8 else -8
    values = np.arange(low, 9 if low else 9).astype(x.dtype)
    counts = np.full(len(values), max(1, x.size // len(values)), np.int64)
    return values, counts
