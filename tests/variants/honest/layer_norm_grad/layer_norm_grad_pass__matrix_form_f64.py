"""The Jacobian of each row as a matrix, in float64."""
import numpy as np


def layer_norm_grad_kernel_impl(grad, x, weight, eps):
    n = x.shape[1]
    gx = np.empty(x.shape)
    gw = np.zeros(n)
    for r in range(len(x)):
        d = x[r].astype(np.float64) - x[r].astype(np.float64).mean()
        rstd = 1 / np.sqrt(d @ d / n + eps)
        h = d * rstd
        jacobian = rstd * (np.eye(n) - 1 / n - np.outer(h, h) / n)
        gx[r] = jacobian @ (grad[r] * weight.astype(np.float64))
        gw += grad[r] * h
    return gx.astype(x.dtype), gw.astype(x.dtype)
