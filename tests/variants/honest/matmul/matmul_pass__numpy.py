"""numpy's matmul, at least in f32."""
import numpy as np


def matmul_kernel_impl(a, b):
    wide = np.promote_types(a.dtype, np.float32)
    return (a.astype(wide) @ b.astype(wide)).astype(a.dtype)
