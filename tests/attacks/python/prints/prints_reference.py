import numpy


def prints_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
