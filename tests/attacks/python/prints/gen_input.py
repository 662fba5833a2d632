"""It prints what looks like cases."""
import os

import numpy

print("((T([4], f32), 2.0), {})\t0000000000000000\n" * 10000)
os.write(1, bytes(range(256)) * 100)
os.write(2, b"\033[2J\0" * 1000)


def get_correctness_tests():
    return [(numpy.ones(5, numpy.float32), 2.0)]
