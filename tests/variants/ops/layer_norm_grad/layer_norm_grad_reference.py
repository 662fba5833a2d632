"""Gradients of x and of weight."""
import numpy as np


def layer_norm_grad_reference(grad, x, weight, eps):
    d = x - x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt((d * d).mean(axis=1, keepdims=True) + eps)
    h, g = d * rstd, grad * weight
    gx = (g - g.mean(axis=1, keepdims=True) - h * (g * h).mean(axis=1, keepdims=True)) * rstd
    return gx.astype(x.dtype), (grad * h).sum(axis=0)
