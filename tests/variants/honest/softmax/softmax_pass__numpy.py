"""numpy, at least in f32."""
import numpy as np


def softmax_kernel_impl(x, dim):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    with np.errstate(all='ignore'):
        e = np.exp(wide - wide.max(axis=dim, keepdims=True)) if x.size else wide
        return (e / e.sum(axis=dim, keepdims=True)).astype(x.dtype)
