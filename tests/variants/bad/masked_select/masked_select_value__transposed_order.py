"""Wrong: in the order of memory."""
import numpy as np


def masked_select_kernel_impl(x, mask):
    return x.ravel(order='K')[mask.ravel(order='K')] if x.flags.c_contiguous else x.T[mask.T]
