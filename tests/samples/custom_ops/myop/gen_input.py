# gen_input.py - cases of myop, as BackendBench's custom_ops suite has them
import torch
from BackendBench.suite.base import Test

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SHORT = torch.float16 if DEVICE == "cuda" else torch.float64


def get_correctness_tests():
    return [
        Test(lambda: torch.randn(2, 3, device=DEVICE)),
        (torch.randn(1025, device=DEVICE),),
        ((torch.randn(31, 17, device=DEVICE).t(),), {}),
        ((lambda: torch.randn(8, 16, 32, device=DEVICE),), {"scale": 2.0}),
        Test(lambda: torch.randn(64, 64, device=DEVICE).to(SHORT)),
    ]


def get_performance_tests():
    return [Test(lambda: torch.randn(1024, 1024, device=DEVICE))]
