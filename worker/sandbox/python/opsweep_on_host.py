# opsweep_on_host.py - a generator's device="cuda" means memory of the host
#
# Cases are made on the processor and copied to the campaign's device, so that
# planning needs no GPU and values are the same everywhere.  A gen_input.py
# that asks torch for CUDA gets tensors of the host instead.
#
# Upstream: opsweep_host.py, for gen_input.py alone.
import importlib
import re
import sys

CUDA = re.compile(r"cuda(:\d+)?$")


def on_host(value, torch):
    """The value, or "cpu" if it names a CUDA device."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if type(value) is str and CUDA.match(value):
        return "cpu"
    return value


def make_mode(torch):
    """Every call of torch passes through it: torch 1.13 or newer."""
    from torch.overrides import TorchFunctionMode

    class OnHost(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = {k: on_host(v, torch) for k, v in (kwargs or {}).items()}
            if func is torch.Tensor.cuda:
                return args[0].clone()
            if func is torch.Tensor.pin_memory:
                return args[0]
            if kwargs.get("pin_memory"):
                kwargs["pin_memory"] = False
            if "device" in kwargs and type(kwargs["device"]) is int:
                kwargs["device"] = "cpu"  # the number of a GPU
            return func(*[on_host(a, torch) for a in args], **kwargs)

    return OnHost()


def make_random(torch):
    """torch.Generator, whose device is the processor."""

    class Generator(torch.Generator):
        def __new__(cls, device="cpu"):
            return super().__new__(cls, on_host(device, torch))

    return Generator


def begin(path, importable):
    """Before the file at `path` runs, and for as long as this process lives."""
    with open(path, encoding="utf-8") as f:
        needs_torch = re.search(r"^\s*(?:import|from)\s+torch\b", f.read(),
                                re.MULTILINE)
    if needs_torch and importable("torch"):
        importlib.import_module("torch")
    torch = sys.modules.get("torch")
    try:
        mode = make_mode(torch) if torch else None
    except ImportError:  # older
        mode = None
    if mode:
        mode.__enter__()
        torch.Generator = make_random(torch)
        torch.cuda.synchronize = lambda device=None: None
