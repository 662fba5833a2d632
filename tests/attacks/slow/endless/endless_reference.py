import numpy


def endless_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
