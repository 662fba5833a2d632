"""The sign of the divisor, as Python's %."""
import numpy as np


def remainder_reference(a, b):
    return np.remainder(a, b)
