"""An alarm goes off."""
import signal

import numpy


def snake_kernel_impl(x, a):
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    return x * numpy.float32(a)
