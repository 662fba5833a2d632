"""x / sqrt(mean of squares + eps) * weight; f16 is widened first."""
import numpy as np


def rms_norm_reference(x, weight, eps):
    v = x.astype(np.promote_types(x.dtype, np.float32))
    return (v / np.sqrt((v * v).mean(axis=-1, keepdims=True) + eps) * weight).astype(x.dtype)
