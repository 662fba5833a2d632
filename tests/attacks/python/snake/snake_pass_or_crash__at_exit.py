"""It hangs at its end, in every way there is."""
import atexit
import threading
import time

import numpy


def hang():
    while True:
        time.sleep(1)


class Last:
    def __del__(self):
        hang()


last = Last()
atexit.register(hang)
threading.Thread(target=hang).start()


def snake_kernel_impl(x, a):
    return x * numpy.float32(a)
