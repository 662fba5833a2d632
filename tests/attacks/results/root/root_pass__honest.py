import numpy


def root_kernel_impl(x):
    return numpy.cbrt(x)
