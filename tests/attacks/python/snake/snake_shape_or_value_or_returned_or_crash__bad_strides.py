"""An array over memory that is not its own."""
import numpy


def snake_kernel_impl(x, a):
    return numpy.lib.stride_tricks.as_strided(
        x * numpy.float32(a), shape=(33,), strides=(1 << 30,))
