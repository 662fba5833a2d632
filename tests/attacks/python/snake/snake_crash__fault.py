"""It faults, with a handler of Python for it."""
import ctypes
import faulthandler

import numpy

faulthandler.enable()


def snake_kernel_impl(x, a):
    return ctypes.string_at(8)
