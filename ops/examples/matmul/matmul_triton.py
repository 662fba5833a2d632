"""matmul_triton.py - a program for each tile of the product; tiles are tuned

Runs on a GPU, or with TRITON_INTERPRET=1 on a processor.
"""
import os

import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

if triton:
    TILES = [(64, 64, 32, 4, 3), (128, 128, 32, 4, 4), (128, 256, 64, 8, 3)]
    CONFIGS = [
        triton.Config({"M": m, "N": n, "K": k, "GROUP": 8}, num_warps=warps, num_stages=stages)
        for m, n, k, warps, stages in (TILES if torch.cuda.is_available() else TILES[:1])
    ]

    def small_in_float32(configs, arguments, **_):
        # Without tensor cores large tiles spill, and take ten seconds to compile.
        return configs[:1] if arguments["a"].dtype == torch.float32 else configs

    @triton.autotune(configs=CONFIGS, key=["rows", "columns", "inner"],
                     prune_configs_by={"early_config_prune": small_in_float32})
    @triton.jit
    def matmul_kernel(a, b, c, rows, columns, inner, a_row, a_col, b_row, b_col,
                      M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
        # Tiles in groups of GROUP rows: what neighbours read stays in the L2 cache.
        per_group = GROUP * tl.cdiv(columns, N)
        first = tl.program_id(0) // per_group * GROUP
        height = tl.minimum(tl.cdiv(rows, M) - first, GROUP)
        inside = tl.program_id(0) % per_group
        i = (first + inside % height) * M + tl.arange(0, M)
        j = (inside // height) * N + tl.arange(0, N)
        i64, j64 = i.to(tl.int64)[:, None], j.to(tl.int64)[None, :]
        total = tl.zeros((M, N), dtype=tl.float32)
        for start in range(0, inner, K):
            k = start + tl.arange(0, K)
            a_tile = tl.load(a + i64 * a_row + k[None, :] * a_col,
                             mask=(i[:, None] < rows) & (k[None, :] < inner), other=0.0)
            b_tile = tl.load(b + k[:, None] * b_row + j64 * b_col,
                             mask=(k[:, None] < inner) & (j[None, :] < columns), other=0.0)
            # "ieee": TF32 in place of float32 ends as `precision`.
            total = tl.dot(a_tile, b_tile, total, input_precision="ieee")
        tl.store(c + i64 * columns + j64, total.to(c.dtype.element_ty),
                 mask=(i[:, None] < rows) & (j[None, :] < columns))


def matmul_kernel_impl(a, b):
    if triton is None or not (a.is_cuda or os.environ.get("TRITON_INTERPRET") == "1"):
        raise NotImplementedError("needs Triton and a GPU")
    if a.dtype == torch.bfloat16 and not a.is_cuda:
        raise NotImplementedError("Triton's interpreter multiplies the bits of bf16 as integers")
    (rows, inner), columns = a.shape, b.shape[1]
    c = torch.empty((rows, columns), dtype=a.dtype, device=a.device)

    def grid(tile):
        return (triton.cdiv(rows, tile["M"]) * triton.cdiv(columns, tile["N"]),)

    if c.numel():
        matmul_kernel[grid](a, b, c, rows, columns, inner, *a.stride(), *b.stride())
    return c
