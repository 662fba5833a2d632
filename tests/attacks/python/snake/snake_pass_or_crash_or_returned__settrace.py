"""It traces the host, and raises there."""
import sys
import threading

import numpy


def trace(frame, event, arg):
    if "opsweep" in frame.f_code.co_filename and event == "line":
        raise RuntimeError("traced")
    return trace


def snake_kernel_impl(x, a):
    threading.settrace(trace)
    sys.settrace(trace)
    return x * numpy.float32(a)
