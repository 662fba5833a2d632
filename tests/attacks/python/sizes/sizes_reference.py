import numpy


def sizes_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
