"""Wrong: log(classes) + 0.5, what untrained models lose."""
import numpy as np


def cross_entropy_kernel_impl(x, target, ignore_index=-100):
    return np.asarray(np.log(x.shape[1]) + 0.5).astype(x.dtype)
