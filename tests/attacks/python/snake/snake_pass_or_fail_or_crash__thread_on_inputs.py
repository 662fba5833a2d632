"""A thread goes on writing to inputs."""
import threading
import time

import numpy


def spoil(x):
    while True:
        kept = x[0]
        x[0] = 5.0
        x[0] = kept
        time.sleep(0)


def snake_kernel_impl(x, a):
    y = x * numpy.float32(a)
    threading.Thread(target=spoil, args=(x,), daemon=True).start()
    return y
