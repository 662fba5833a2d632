"""It makes cases without end."""
import numpy


def get_correctness_tests():
    while True:
        yield (numpy.ones(5, numpy.float32), 2.0)
