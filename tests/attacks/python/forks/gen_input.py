"""Parent and child both make cases."""
import os

import numpy

os.fork()


def get_correctness_tests():
    return [(numpy.ones(5, numpy.float32), 2.0)]
