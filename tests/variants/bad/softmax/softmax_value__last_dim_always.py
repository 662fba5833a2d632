"""Wrong: over the last dimension whatever dim says."""
import numpy as np


def softmax_kernel_impl(x, dim):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    with np.errstate(all='ignore'):
        e = np.exp(wide - wide.max(axis=-1, keepdims=True)) if x.size else wide
        return (e / e.sum(axis=-1, keepdims=True)).astype(x.dtype)
