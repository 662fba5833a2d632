"""It recurses, without a limit."""
import sys

import numpy

sys.setrecursionlimit(10 ** 9)


def deeper(n):
    return deeper(n + 1) + 1


def snake_kernel_impl(x, a):
    return deeper(0)
