import numpy


def snake_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
