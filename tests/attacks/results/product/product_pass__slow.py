import numpy


def product_kernel_impl(x, y):
    return numpy.matmul(x, y)
