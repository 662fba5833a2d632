"""Words that are notation, and lines, of their own."""
import numpy


def get_correctness_tests():
    x = numpy.ones(5, numpy.float32)
    return [((x, 2.0), {"a'\n), {})\t": 1}), ((x, "'\\\n\0\t\x7f\ud800"), {}),
            (x, float("nan")), (x, 10 ** 400), (x, -(2 ** 63) - 1)]
