"""matmul_reference.py - a @ b, summed in float64"""
import torch


def matmul_reference(a, b):
    return torch.matmul(a.double(), b.double()).to(a.dtype)
