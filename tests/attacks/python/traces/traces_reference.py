import numpy


def traces_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
