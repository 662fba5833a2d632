"""Wrong: the mask hides the diagonal, except for the first row."""
import numpy as np


def attention_kernel_impl(q, k, v, causal=False):
    s = q.astype(np.float64) @ k.astype(np.float64).T / np.sqrt(q.shape[1])
    if causal:
        mask = np.tri(len(q), len(k), -1, dtype=bool)
        mask[0, 0] = True
        s = np.where(mask, s, -1e300)
    p = np.exp(s - s.max(axis=1, keepdims=True))
    return (p @ v.astype(np.float64) / p.sum(axis=1, keepdims=True)).astype(q.dtype)
