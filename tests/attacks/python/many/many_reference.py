import numpy


def many_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
