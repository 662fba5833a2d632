"""Sorted distinct values and how often each is there."""
import numpy as np


def unique_counts_reference(x):
    values, counts = np.unique(x, return_counts=True)
    return values, counts.astype(np.int64)
