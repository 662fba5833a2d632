"""Negative numbers become 0, NaN stays."""
import numpy as np


def relu_reference(x):
    return np.maximum(x, x.dtype.type(0))
