"""Wrong: clears the gradient afterwards."""
import numpy as np


def adam_kernel_impl(p, m, v, g, step):
    m *= np.float32(0.9)
    m += np.float32(0.1) * g
    v *= np.float32(0.999)
    v += np.float32(0.001) * g * g
    root = np.sqrt(v.astype(np.float64) / (1 - 0.999 ** step)) + 1e-8
    p -= (1e-3 * m / (1 - 0.9 ** step) / root).astype(np.float32)
    g[...] = 0
    return p, m, v
