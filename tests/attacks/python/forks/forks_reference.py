import numpy


def forks_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
