"""Wrong: multiplies by the transpose where b is square."""
import numpy as np


def matmul_kernel_impl(a, b):
    wide = np.promote_types(a.dtype, np.float32)
    other = b.T if b.shape[0] == b.shape[1] else b
    return (a.astype(wide) @ other.astype(wide)).astype(a.dtype)
