# opsweep_opcheck.py - what torch itself checks of a registered operator
#
# Asked for "my.scale.default@/ops/scale/scale.so!test_schema_kernel_impl" it
# gives a function over the operator's arguments that runs this one test and
# returns what came of it: an u8 tensor of "o", "F" or "s" (ok, FAILED, skipped)
# and words.
import traceback

import torch

from opsweep_aten import by_name, mapped, tensors
from opsweep_registered import operator

MAX_WORDS = 500
NO_COMPILER = ("InvalidCxxCompiler", "TritonMissing", "GPUTooOldForTriton")


def copy(value, grad=False):
    """New tensors of the same values, differentiable ones asking for it."""
    def one(v):
        if not isinstance(v, torch.Tensor):
            return v
        new = v.detach().clone()
        if grad and (new.is_floating_point() or new.is_complex()):
            new.requires_grad_(True)
        return new

    return mapped(one, value)


def words(exception):
    text = "".join(traceback.format_exception_only(type(exception), exception))
    return " ".join(text.split())


def writes(op):
    return any(a.alias_info is not None and a.alias_info.is_write
               for a in op._schema.arguments)


def opcheck(op, test, args, kwargs):
    if not hasattr(torch.library, "opcheck"):
        return "s", "torch.library.opcheck needs torch 2.4 or newer, found " + \
            torch.__version__
    grad = test == "test_autograd_registration"
    if grad and writes(op):
        return "s", "writes arguments, which then cannot ask for gradients"
    given = copy(args, grad), copy(kwargs, grad)
    if grad and not any(t.requires_grad for t in tensors(given)):
        return "s", "no argument can ask for gradients"
    came = torch.library.opcheck(op, *given, test_utils=[test],
                                 raise_exception=False)[test]
    if came == "SUCCESS":
        return "o", "as torch.library.opcheck has it"
    return "F", words(came)


def compile_(op, args, kwargs):
    if not hasattr(torch, "compile"):
        return "s", "torch.compile needs torch 2.0 or newer, found " + \
            torch.__version__

    def call(*args, **kwargs):
        return op(*args, **kwargs)

    plain, compiled = copy((args, kwargs)), copy((args, kwargs))
    want = op(*plain[0], **plain[1])
    try:
        got = torch.compile(call, fullgraph=True)(*compiled[0], **compiled[1])
    except Exception as e:
        if any(name in words(e) for name in NO_COMPILER):
            return "s", words(e)
        raise
    torch.testing.assert_close(tensors((got, compiled)),
                               tensors((want, plain)), equal_nan=True)
    return "o", "torch.compile(fullgraph=True) gives the same result"


class Test:
    def __init__(self, symbol):
        symbol, self.test = symbol.rsplit("!", 1)
        self.op = operator(symbol)

    def __call__(self, *args, **kwargs):
        try:
            if self.test == "torch_compile":
                state, text = compile_(self.op, args, kwargs)
            else:
                state, text = opcheck(self.op, self.test, args, kwargs)
        except Exception as e:
            state, text = "F", words(e)
        data = (state + text[:MAX_WORDS]).encode("ascii", "replace")
        device = next((t.device for t in tensors((args, kwargs))), "cpu")
        return torch.tensor(list(data), dtype=torch.uint8, device=device)


__getattr__ = by_name(Test)
