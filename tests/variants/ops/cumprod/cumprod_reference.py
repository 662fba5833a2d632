"""Running products."""
import numpy as np


def cumprod_reference(x, dim):
    return np.cumprod(x, axis=dim)
