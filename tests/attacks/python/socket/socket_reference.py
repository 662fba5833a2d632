import numpy


def socket_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
