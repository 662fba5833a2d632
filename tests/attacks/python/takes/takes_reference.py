import numpy


def takes_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
