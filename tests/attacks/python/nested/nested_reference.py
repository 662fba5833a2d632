import numpy


def nested_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
