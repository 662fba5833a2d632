# opsweep_aten.py - torch's own operators as implementations
#
# Asked for "aten.mm.default_kernel_impl" it gives torch.ops.aten.mm.default,
# and for any other ns.op.overload likewise.  One that this torch does not have
# declines every case: traces name operators of older and of newer versions.
import torch


def find(name):
    """The overload of that name; namespaces may come with its library."""
    here = torch.ops
    for part in name.split("."):
        try:
            here = getattr(here, part)
        except (AttributeError, RuntimeError):
            raise LookupError("torch %s has no operator %s" %
                              (torch.__version__, name)) from None
    return here


class Absent:
    """In place of an operator that torch does not have."""

    def __init__(self, why):
        self.why = why

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(self.why)


def find_or_decline(name):
    try:
        return find(name)
    except LookupError as e:
        return Absent(str(e))


def tensors(value):
    """Those of a value, however deep."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in tensors(v)]
    return []


def mapped(function, value):
    """The value with function(v) in place of what is no list or dict."""
    if isinstance(value, dict):
        return {k: mapped(function, v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(mapped(function, v) for v in value)
    return function(value)


def by_name(make, ending="_kernel_impl"):
    """A module's __getattr__: make(symbol) for each SYMBOL_kernel_impl."""
    def get(name):
        if name.endswith(ending):
            return make(name[:-len(ending)])
        raise AttributeError(name)
    return get


__getattr__ = by_name(find_or_decline)
