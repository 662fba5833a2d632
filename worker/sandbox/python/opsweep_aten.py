# opsweep_aten.py - torch's own operators as implementations
#
# Asked for "aten.mm.default_kernel_impl" it gives torch.ops.aten.mm.default,
# and for any other ns.op.overload likewise; asked for "warm_up", on a GPU, it
# has that do something, before there are cases.
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


def warm_up():
    """What the first case would wait for."""
    a = torch.ones(8, 8, device="cuda")
    a @ a
    torch.cuda.synchronize()
    return torch.cuda.synchronize


def __getattr__(name):
    if name == "warm_up_kernel_impl":
        return warm_up()
    if name.endswith("_kernel_impl"):
        return find(name[:-len("_kernel_impl")])
    raise AttributeError(name)
