# opsweep_flag_gems.py - what the package flag_gems has for torch's operators
#
# Asked for "aten.add.Tensor_kernel_impl" it gives the function that flag_gems
# itself registers for that operator; where it keeps no such list, the function
# of its `ops` with the operator's name.  None: a function that says so.
import re

import flag_gems


def registered(op):
    """What the package's own list has for "add.Tensor"."""
    bare = op[:-len(".default")] if op.endswith(".default") else op
    for entry in getattr(flag_gems, "_FULL_CONFIG", ()):
        if entry[0] in (op, bare):
            return entry[1]
    return None


def names(op):
    """add_.Tensor may be add_tensor_ or add_, max.dim is max_dim."""
    base, _, overload = op.partition(".")
    tail = "_" if base.endswith("_") and not base.endswith("__") else ""
    stem = base[:-1] if tail else base
    words = "" if overload == "default" else \
        "_" + re.sub(r"_IntList$|_int$", "", overload).lower()
    exact = [stem + words + tail]
    return exact + [stem + tail] if overload == "Tensor" else exact


def find(name):
    op = name[len("aten."):] if name.startswith("aten.") else None
    found = registered(op) if op else None
    for candidate in names(op) if op and found is None else ():
        found = found or getattr(flag_gems.ops, candidate, None)
    if found is not None:
        return found

    def none(*args, **kwargs):
        raise NotImplementedError("flag_gems %s has nothing for %s" % (
            getattr(flag_gems, "__version__", ""), name))
    return none


def __getattr__(name):
    if name.endswith("_kernel_impl"):
        return find(name[:-len("_kernel_impl")])
    raise AttributeError(name)
