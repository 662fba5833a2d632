"""Wrong: divides scores by d instead of its root."""
import numpy as np


def attention_kernel_impl(q, k, v, causal=False):
    s = q.astype(np.float64) @ k.astype(np.float64).T / q.shape[1]
    if causal:
        s = np.where(np.tri(len(q), len(k), dtype=bool), s, -1e300)
    p = np.exp(s - s.max(axis=1, keepdims=True))
    return (p @ v.astype(np.float64) / p.sum(axis=1, keepdims=True)).astype(q.dtype)
