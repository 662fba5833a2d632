"""A program goes on, in a session of its own."""
import subprocess

import numpy


def snake_kernel_impl(x, a):
    subprocess.Popen(["sleep", "30"], start_new_session=True,
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return x * numpy.float32(a)
