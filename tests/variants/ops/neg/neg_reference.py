"""-x."""
import numpy as np


def neg_reference(x):
    return np.negative(x)
