"""Wrong: fancy += adds only the last of equal indices."""
import numpy as np


def embedding_grad_kernel_impl(grad, index, rows, padding_idx=-1):
    y = np.zeros((rows, grad.shape[1]), np.float32)
    keep = index != padding_idx
    y[index[keep]] += grad[keep]
    return y.astype(grad.dtype)
