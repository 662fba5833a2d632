# myop_triton.py - right, on a GPU
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x, y, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside).to(tl.float32)
    tl.store(y + at, tl.maximum(value, 0.0) * scale, mask=inside)


def myop_kernel_impl(x, scale=1.0):
    if not x.is_cuda:
        raise NotImplementedError("Triton needs a GPU")
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, scale, BLOCK=1024)
    return y
