"""A result of 100,000 lists in each other."""
import numpy


def snake_kernel_impl(x, a):
    y = x * numpy.float32(a)
    for _ in range(100000):
        y = [y]
    return y
