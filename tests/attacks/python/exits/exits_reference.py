import numpy


def exits_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
