"""A thread spoils the result that was returned."""
import threading
import time

import numpy


def spoil(y):
    for _ in range(200):
        y[3] = 1e9
        time.sleep(0.0005)


def snake_kernel_impl(x, a):
    y = x * numpy.float32(a)
    threading.Thread(target=spoil, args=(y,), daemon=True).start()
    return y
