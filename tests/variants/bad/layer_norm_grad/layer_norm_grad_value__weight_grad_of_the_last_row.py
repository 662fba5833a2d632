"""Wrong: the weight's gradient is overwritten by each row."""
import numpy as np


def layer_norm_grad_kernel_impl(grad, x, weight, eps):
    x = x.astype(np.float64)
    d = x - x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt((d * d).mean(axis=1, keepdims=True) + eps)
    h, g = d * rstd, grad * weight
    gx = (g - g.mean(axis=1, keepdims=True) - h * (g * h).mean(axis=1, keepdims=True)) * rstd
    return gx.astype(np.float32), (grad * h)[-1].astype(np.float32)
