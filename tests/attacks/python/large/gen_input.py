"""A case of 2^45 elements in little memory, and one of a terabyte."""
import numpy


def get_correctness_tests():
    return [(numpy.broadcast_to(numpy.float32(1), (1 << 22, 1 << 23)), 2.0),
            (lambda: numpy.ones(1 << 40, numpy.float32), 2.0)]
