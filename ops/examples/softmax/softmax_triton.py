"""softmax_triton.py - a program for each row, which is read twice: online softmax

Runs on a GPU, or with TRITON_INTERPRET=1 on a processor.
"""
import os

import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

MAX_BLOCK = 4096

if triton:

    @triton.jit
    def softmax_kernel(x, y, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64) * n
        top = -float("inf")
        total = 0.0
        for start in range(0, n, BLOCK):
            i = start + tl.arange(0, BLOCK)
            v = tl.load(x + row + i, mask=i < n, other=-float("inf")).to(tl.float32)
            new_top = tl.maximum(top, tl.max(v, 0))
            # Nothing but -inf so far: inf - inf would be NaN.
            shift = tl.where(new_top == -float("inf"), 0.0, new_top)
            total = total * tl.exp(top - shift) + tl.sum(tl.exp(v - shift), 0)
            top = new_top
        shift = tl.where(top == -float("inf"), 0.0, top)
        for start in range(0, n, BLOCK):
            i = start + tl.arange(0, BLOCK)
            v = tl.load(x + row + i, mask=i < n, other=-float("inf")).to(tl.float32)
            tl.store(y + row + i, (tl.exp(v - shift) / total).to(y.dtype.element_ty), mask=i < n)


def softmax_kernel_impl(x):
    if triton is None or not (x.is_cuda or os.environ.get("TRITON_INTERPRET") == "1"):
        raise NotImplementedError("needs Triton and a GPU")
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.shape[-1]
    if x.numel():
        block = min(triton.next_power_of_2(n), MAX_BLOCK)
        softmax_kernel[(x.numel() // n,)](x, y, n, BLOCK=block, num_warps=8)
    return y
