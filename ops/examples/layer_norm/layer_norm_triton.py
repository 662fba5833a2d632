"""layer_norm_triton.py - a program for each row, which is read once and kept in registers

Runs on a GPU, or with TRITON_INTERPRET=1 on a processor.
"""
import os

import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

MAX_BLOCK = 32768

if triton:

    @triton.jit
    def layer_norm_kernel(x, weight, bias, y, n, eps, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64) * n
        i = tl.arange(0, BLOCK)
        there = i < n
        v = tl.load(x + row + i, mask=there, other=0.0).to(tl.float32)
        # Two passes over registers: a mean far from 0 costs no digits.
        d = tl.where(there, v - tl.sum(v, 0) / n, 0.0)
        scale = 1.0 / tl.sqrt(tl.sum(d * d, 0) / n + eps)
        w = tl.load(weight + i, mask=there, other=0.0).to(tl.float32)
        b = tl.load(bias + i, mask=there, other=0.0).to(tl.float32)
        tl.store(y + row + i, (d * scale * w + b).to(y.dtype.element_ty), mask=there)


def layer_norm_kernel_impl(x, weight, bias, eps):
    if triton is None or not (x.is_cuda or os.environ.get("TRITON_INTERPRET") == "1"):
        raise NotImplementedError("needs Triton and a GPU")
    n = x.shape[-1]
    block = triton.next_power_of_2(n)
    if block > MAX_BLOCK:
        raise NotImplementedError("a row does not fit into registers")
    x = x.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        warps = min(max(block // 256, 1), 16)
        layer_norm_kernel[(x.numel() // n,)](
            x, weight.contiguous(), bias.contiguous(), y, n, eps, BLOCK=block, num_warps=warps)
    return y
