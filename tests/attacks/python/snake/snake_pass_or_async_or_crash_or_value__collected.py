"""Objects that are collected write to the result, and run the collector."""
import gc

import numpy


class Late:
    def __init__(self, y):
        self.y, self.me = y, self

    def __del__(self):
        self.y[...] = 7.0


gc.set_threshold(1, 1, 1)


def snake_kernel_impl(x, a):
    y = x * numpy.float32(a)
    Late(y)
    return y
