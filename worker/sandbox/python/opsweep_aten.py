# opsweep_aten.py - torch's own operators as implementations
#
# Asked for "aten.mm.default_kernel_impl" it gives torch.ops.aten.mm.default,
# and for any other ns.op.overload likewise.
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


def __getattr__(name):
    if name.endswith("_kernel_impl"):
        return find(name[:-len("_kernel_impl")])
    raise AttributeError(name)
