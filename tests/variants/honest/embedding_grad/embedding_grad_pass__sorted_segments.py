"""Sorts indices, then sums each run of equal ones."""
import numpy as np


def embedding_grad_kernel_impl(grad, index, rows, padding_idx=-1):
    y = np.zeros((rows, grad.shape[1]), np.float32)
    order = np.argsort(index, kind='stable')
    order = order[index[order] != padding_idx]
    if len(order):
        at = index[order]
        starts = np.flatnonzero(np.r_[True, at[1:] != at[:-1]])
        y[at[starts]] = np.add.reduceat(grad[order].astype(np.float32), starts, axis=0)
    return y.astype(grad.dtype)
