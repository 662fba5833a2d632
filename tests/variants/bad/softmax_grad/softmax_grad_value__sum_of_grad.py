"""Wrong: subtracts the sum of g instead of g y."""
import numpy as np


def softmax_grad_kernel_impl(grad, y):
    g, v = grad.astype(np.float32), y.astype(np.float32)
    return (v * (g - g.sum(axis=-1, keepdims=True))).astype(y.dtype)
