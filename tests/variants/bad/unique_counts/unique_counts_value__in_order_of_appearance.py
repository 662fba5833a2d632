"""Wrong: values in the order in which they appear."""
import numpy as np


def unique_counts_kernel_impl(x):
    values, first, counts = np.unique(x, return_index=True, return_counts=True)
    order = np.argsort(first)
    return values[order], counts[order].astype(np.int64)
