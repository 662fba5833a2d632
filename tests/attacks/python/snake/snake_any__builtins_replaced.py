"""Functions that everything uses lie."""
import builtins

import numpy


def snake_kernel_impl(x, a):
    y = x * numpy.float32(a)
    builtins.len = lambda x: -1
    builtins.isinstance = lambda a, b: True
    builtins.range = lambda *a: []
    builtins.type = str
    return y
