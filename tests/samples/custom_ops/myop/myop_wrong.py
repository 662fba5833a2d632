# myop_wrong.py - wrong: negative values come through
import torch


def myop_kernel_impl(x, scale=1.0):
    return torch.abs(x) * scale
