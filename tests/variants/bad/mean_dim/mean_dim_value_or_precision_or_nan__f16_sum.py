"""Wrong: f16 rows are summed in f16, one after the other."""
import numpy as np


def mean_dim_kernel_impl(x, dim, keepdim=False):
    narrow = x.astype(np.float16)
    with np.errstate(all='ignore'):
        s = np.cumsum(np.moveaxis(narrow, dim, 0), axis=0, dtype=np.float16)
        last = s[-1] if len(s) else np.full(s.shape[1:], np.nan, np.float16)
        y = (last / np.float16(x.shape[dim])).astype(x.dtype)
    return np.expand_dims(y, dim) if keepdim else y
