"""Wrong: u8 above 127 are negative, and results are cut to 8 bits."""
import numpy as np


def argmax_kernel_impl(x, dim, keepdim=False):
    return np.argmax(x, axis=dim, keepdims=keepdim).astype(np.uint8).astype(np.int64)
