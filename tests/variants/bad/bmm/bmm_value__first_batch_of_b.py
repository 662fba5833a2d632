"""Wrong: every batch is multiplied by the first b."""
import numpy as np


def bmm_kernel_impl(a, b):
    wide = np.promote_types(a.dtype, np.float32)
    return np.matmul(a.astype(wide), b[:1].astype(wide) if len(b) else b.astype(wide)).astype(a.dtype)
