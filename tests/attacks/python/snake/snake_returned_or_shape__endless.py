"""A result that contains itself."""
import numpy


def snake_kernel_impl(x, a):
    y = []
    y.append(y)
    return y
