import numpy


def words_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
