"""It writes through addresses, before and past its input."""
import ctypes

import numpy


def snake_kernel_impl(x, a):
    ctypes.memset(x.ctypes.data - 64, 1, x.nbytes + 128)
    return x * numpy.float32(a)
