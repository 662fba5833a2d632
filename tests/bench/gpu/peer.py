#!/usr/bin/env python3
"""tests/bench/gpu/peer.py - the peers' method on the fourteen cases

Inputs of torch, the op against itself by torch.testing.assert_close, both
timed by triton.testing.do_bench: what a Python evaluator does with each case.
Prints the speedups of identical code.  Needs torch and Triton.
"""
import torch
import triton.testing

D = {"device": "cuda", "dtype": torch.bfloat16}
CASES = [(torch.relu, (n,), 1) for n in (2**10, 2**16, 2**22, 2**26)]
CASES += [(torch.add, (n,), 2) for n in (2**10, 2**16, 2**22, 2**26)]
CASES += [(lambda x: torch.softmax(x, -1), (n, n), 1) for n in (32, 1024, 8192)]
CASES += [(torch.mm, (n, n), 2) for n in (32, 1024, 8192)]

ratios = []
for op, shape, n_args in CASES:
    args = [torch.rand(shape, **D) for _ in range(n_args)]
    torch.testing.assert_close(op(*args), op(*args), atol=1e-2, rtol=1e-2)
    base = triton.testing.do_bench(lambda: op(*args))
    own = triton.testing.do_bench(lambda: op(*args))
    ratios.append(base / own)
print("speedups of identical code %.3f .. %.3f" % (min(ratios), max(ratios)))
