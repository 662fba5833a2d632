"""It raises what no handler of Exception catches."""
import numpy


class Odd(BaseException):
    def __str__(self):
        raise Odd

    __repr__ = __str__


def snake_kernel_impl(x, a):
    raise Odd
