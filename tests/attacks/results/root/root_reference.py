import numpy


def root_reference(x):
    return numpy.cbrt(x)
