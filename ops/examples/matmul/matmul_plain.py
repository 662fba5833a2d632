"""matmul_plain.py - torch's own product: cuBLAS on a GPU"""
import torch


def matmul_kernel_impl(a, b):
    if a.is_cuda:
        return torch.matmul(a, b)
    # A processor's product in 16 bits rounds its sums to 16 bits.
    return torch.matmul(a.float(), b.float()).to(a.dtype)
