"""The honest neighbour."""
import numpy


def snake_kernel_impl(x, a):
    return x * numpy.float32(a)
