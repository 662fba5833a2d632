# opsweep_aten_reference.py - torch's own operators as oracles, in float64
#
# Shapes and dtypes are those of the operator on the case's own arguments, the
# values those on arguments widened to float64; integers and bools are exact.
# Where that says nothing - random numbers, memory left as it was, an operator
# that has no float64 - there is no oracle.
import torch

from opsweep_aten import by_name, find_or_decline, mapped, tensors

WIDER = {torch.float16: torch.float64, torch.bfloat16: torch.float64,
         torch.float32: torch.float64, torch.complex64: torch.complex128}
WIDEST = (torch.float64, torch.complex128)
EXACT = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
         torch.bool)
UNDEFINED = ("empty", "empty_like", "empty_strided", "new_empty",
             "new_empty_strided", "resize_")


class WithExact:
    """What the operator returned, and the same in float64."""

    def __init__(self, value, exact):
        self.value = value
        self.exact = exact


def widen(value):
    if isinstance(value, torch.Tensor):
        return value.to(WIDER.get(value.dtype, value.dtype), copy=True)
    if isinstance(value, torch.dtype):
        return WIDER.get(value, value)
    return value


def has(value, dtypes):
    return any(t.dtype in dtypes for t in tensors(value))


class Reference:
    def __init__(self, name):
        self.name = name
        self.op = find_or_decline(name)
        self.wanted = False  # the next call is looked at, and not timed

    def refuse(self, why):
        raise NotImplementedError("%s %s: no oracle" % (self.name, why))

    def check(self):
        tag = getattr(torch, "Tag", None)
        tag = getattr(tag, "nondeterministic_seeded", None)
        if tag is not None and tag in getattr(self.op, "tags", ()):
            self.refuse("draws random numbers")
        if self.name.split(".")[-2] in UNDEFINED:
            self.refuse("leaves its result undefined")

    def __call__(self, *args, **kwargs):
        if not self.wanted:
            return self.op(*args, **kwargs)
        self.wanted = False
        self.check()
        wide = mapped(widen, (args, kwargs))
        value = self.op(*args, **kwargs)
        if has(value, WIDEST):
            self.refuse("has nothing wider than float64")
        for t in tensors(value):
            if t.layout is not torch.strided:
                self.refuse("returns a tensor of layout %s" % t.layout)
            if t.dtype not in WIDER and t.dtype not in EXACT:
                self.refuse("returns %s, which no case can have" % t.dtype)
        if not has(value, WIDER):
            return value  # to the bit
        try:
            return WithExact(value, self.op(*wide[0], **wide[1]))
        except (RuntimeError, TypeError, ValueError) as e:
            self.refuse("cannot run in float64 (%s)" %
                        (str(e).splitlines() or [""])[0])


__getattr__ = by_name(Reference, "_reference")
