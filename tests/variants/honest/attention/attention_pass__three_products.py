"""Scores, softmax, product, in float32."""
import numpy as np


def attention_kernel_impl(q, k, v, causal=False):
    s = q.astype(np.float32) @ k.astype(np.float32).T / np.float32(q.shape[1] ** 0.5)
    if causal:
        s = np.where(np.tri(len(q), len(k), dtype=bool), s, -np.inf).astype(np.float32)
    p = np.exp(s - s.max(axis=1, keepdims=True))
    return (p @ v.astype(np.float32) / p.sum(axis=1, keepdims=True)).astype(q.dtype)
