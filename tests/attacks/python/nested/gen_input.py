"""Values in 50,000 lists, and a list in itself."""
import numpy


def get_correctness_tests():
    value = []
    for _ in range(50000):
        value = [value]
    loop = []
    loop.append(loop)
    return [(value, 2.0), (loop, 2.0), ({"a" * 10 ** 6: "\0\n\t"}, 2.0)]
