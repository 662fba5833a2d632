"""rotary_plain.py - by numpy, with an array for each step"""
import numpy


def rotary_kernel_impl(x, cos, sin):
    a, b = numpy.split(x.astype(numpy.float32), 2, axis=-1)
    cos, sin = cos[:, None, :], sin[:, None, :]
    turned = numpy.concatenate((a * cos - b * sin, b * cos + a * sin), axis=-1)
    return turned.astype(x.dtype)
