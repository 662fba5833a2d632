"""logaddexp.reduce minus the target's logit."""
import numpy as np


def cross_entropy_kernel_impl(x, target, ignore_index=-100):
    keep = target != ignore_index
    wide = x[keep].astype(np.float64)
    losses = np.logaddexp.reduce(wide, axis=1) - wide[np.arange(len(wide)), target[keep]]
    return np.asarray(losses.mean()).astype(x.dtype)
