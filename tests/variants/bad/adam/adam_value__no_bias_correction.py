"""Wrong: moments are not corrected for the step."""
import numpy as np


def adam_kernel_impl(p, m, v, g, step):
    m *= np.float32(0.9)
    m += np.float32(0.1) * g
    v *= np.float32(0.999)
    v += np.float32(0.001) * g * g
    p -= (1e-3 * m / (np.sqrt(v) + 1e-8)).astype(np.float32)
    return p, m, v
