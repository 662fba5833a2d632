"""It spoils what lies where opsweep was started, by relative names."""
import os
import shutil

import numpy

for name in ("precious", "folder/inner"):
    try:
        with open(name, "a") as f:
            f.write("attacked")
    except OSError:
        pass
shutil.rmtree("folder", ignore_errors=True)


def get_correctness_tests():
    return [(numpy.ones(5, numpy.float32), 2.0)]
