"""By Fourier transforms in float64."""
import numpy as np


def conv2d_kernel_impl(x, weight, padding=0):
    p = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    h, w = p.shape[2:]
    a = np.fft.rfft2(p)
    b = np.fft.rfft2(weight.astype(np.float64), s=(h, w)).conj()
    y = np.fft.irfft2(np.einsum('zchw,fchw->zfhw', a, b), s=(h, w))
    return np.ascontiguousarray(y[:, :, :h - 2, :w - 2]).astype(x.dtype)
