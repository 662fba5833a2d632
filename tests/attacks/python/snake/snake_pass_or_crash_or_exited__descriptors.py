"""All descriptors are closed but those that it was told of, then the standard ones."""
import os

import numpy


def snake_kernel_impl(x, a):
    os.closerange(0, 3)
    os.closerange(4, 256)
    return x * numpy.float32(a)
