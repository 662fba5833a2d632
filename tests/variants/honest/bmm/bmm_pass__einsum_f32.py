"""einsum, at least in f32."""
import numpy as np


def bmm_kernel_impl(a, b):
    wide = np.promote_types(a.dtype, np.float32)
    return np.einsum('bik,bkj->bij', a.astype(wide), b.astype(wide)).astype(a.dtype)
