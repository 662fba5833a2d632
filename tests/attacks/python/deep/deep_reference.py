import numpy


def deep_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
