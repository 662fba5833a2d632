import numpy


def product_reference(x, y):
    return numpy.matmul(x, y)
