"""It writes wherever it can."""
import os

import numpy

outside = os.environ.get("ATTACK_OUTSIDE", "/nonexistent")
for name in ("file", "new", "../home/new", "../cwd/new", "../ops/new"):
    try:
        with open(os.path.join(outside, name), "w") as f:
            f.write("attacked")
    except OSError:
        pass
    try:
        os.remove(os.path.join(outside, name))
    except OSError:
        pass
with open("own", "w") as f:
    f.write("mine")


def get_correctness_tests():
    return [(numpy.ones(5, numpy.float32), 2.0)]
