# opsweep_registered.py - operators that a library or a module registers
#
# Asked for "my.scale.default@/ops/scale/scale.so_kernel_impl" it loads the
# file, which registers the operator with torch, and gives it; of a file *.py,
# it imports it; of PACKAGE/__init__.py, the package.
import importlib.util
import os
import sys

import torch

from opsweep_aten import by_name, find

loaded = {}  # modules by path: what they registered lives as long as they do


def register(path):
    if path in loaded:
        return
    if path.endswith(".so"):
        try:
            torch.ops.load_library(path)
        except OSError as e:  # which says no more than that it could not
            raise OSError("%s cannot be loaded: %s" % (
                os.path.basename(path), e.__cause__ or e)) from None
        loaded[path] = True
        return
    folder, name = os.path.split(os.path.splitext(path)[0])
    if name == "__init__":  # a package
        folder, name = os.path.split(folder)
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except AttributeError as e:  # else it would seem to be this module's own
        raise ImportError(str(e)).with_traceback(e.__traceback__) from e
    loaded[path] = module


def operator(symbol):
    """Of "ns.op.overload@PATH"."""
    name, path = symbol.split("@", 1)
    register(path)
    try:
        return find(name)
    except LookupError:
        raise LookupError("%s registers no operator %s::%s" % (
            os.path.basename(path), *name.split(".", 1))) from None


__getattr__ = by_name(operator)
