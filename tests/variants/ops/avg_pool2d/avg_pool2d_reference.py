"""Means of windows side by side."""
import numpy as np


def avg_pool2d_reference(x, k):
    h, w = x.shape[2] // k, x.shape[3] // k
    return x[:, :, :h * k, :w * k].reshape(*x.shape[:2], h, k, w, k).mean(axis=(3, 5))
