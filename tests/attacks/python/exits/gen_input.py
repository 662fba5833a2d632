"""It ends in the second case."""
import os

import numpy


def get_correctness_tests():
    yield (numpy.ones(5, numpy.float32), 2.0)
    os._exit(0)
