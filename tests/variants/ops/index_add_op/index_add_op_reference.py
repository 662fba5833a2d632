"""x with rows of source added."""
import numpy as np


def index_add_op_reference(x, index, source):
    y = x.copy()
    np.add.at(y, index, source)
    return y
