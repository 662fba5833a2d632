"""It raises KeyboardInterrupt."""
import numpy


def snake_kernel_impl(x, a):
    raise KeyboardInterrupt
