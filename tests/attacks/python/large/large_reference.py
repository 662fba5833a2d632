import numpy


def large_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
