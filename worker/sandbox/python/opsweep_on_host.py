# opsweep_on_host.py - a generator's device="cuda" means memory of the host
#
# Cases are made on the processor and copied to the campaign's device, so that
# planning needs no GPU and values are the same everywhere.  A gen_input.py
# that asks torch for CUDA gets tensors of the host instead.  Each of its calls
# is noted, too (opsweep_independent.py).
#
# Upstream: opsweep_host.py, for gen_input.py alone.
import importlib
import re
import sys

import opsweep_independent

CUDA = re.compile(r"cuda(:\d+)?$")


def on_host(value, torch):
    """The value, or "cpu" if it names a CUDA device."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if type(value) is str and CUDA.match(value):
        return "cpu"
    return value


def make_mode(torch, notes):
    """Every call of torch passes through it: torch 1.13 or newer."""
    from torch.overrides import TorchFunctionMode

    class OnHost(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = {k: on_host(v, torch) for k, v in (kwargs or {}).items()}
            if func is torch.Tensor.cuda:
                func, args, kwargs = torch.Tensor.clone, args[:1], {}
            if func is torch.Tensor.pin_memory:
                return args[0]
            if kwargs.get("pin_memory"):
                kwargs["pin_memory"] = False
            if "device" in kwargs and type(kwargs["device"]) is int:
                kwargs["device"] = "cpu"  # the number of a GPU
            made = func(*[on_host(a, torch) for a in args], **kwargs)
            notes.saw(getattr(func, "__name__", ""), args, kwargs, made)
            return made

    return OnHost()


def note_indexing(torch, notes):
    """Older modes do not see it."""
    plain = torch.Tensor.__getitem__

    def __getitem__(self, index):
        made = plain(self, index)
        notes.saw("__getitem__", (self, index), {}, made)
        return made

    torch.Tensor.__getitem__ = __getitem__


def make_random(torch):
    """torch.Generator, whose device is the processor."""

    class Generator(torch.Generator):
        def __new__(cls, device="cpu"):
            return super().__new__(cls, on_host(device, torch))

    return Generator


def begin(path, importable):
    """Before the file at `path` runs, and for as long as this process lives.
    The notes on its tensors; None without torch, or an older one.
    """
    with open(path, encoding="utf-8") as f:
        needs_torch = re.search(r"^\s*(?:import|from)\s+torch\b", f.read(),
                                re.MULTILINE)
    if needs_torch and importable("torch"):
        importlib.import_module("torch")
    torch = sys.modules.get("torch")
    if not torch:
        return None
    notes = opsweep_independent.Independent(torch)
    try:
        mode = make_mode(torch, notes)
    except ImportError:  # older
        return None
    mode.__enter__()
    note_indexing(torch, notes)
    torch.Generator = make_random(torch)
    torch.cuda.synchronize = lambda device=None: None
    return notes
