"""Parent and child both return."""
import os

import numpy


def snake_kernel_impl(x, a):
    os.fork()
    return x * numpy.float32(a)
