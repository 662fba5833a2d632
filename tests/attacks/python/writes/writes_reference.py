import numpy


def writes_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
