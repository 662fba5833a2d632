# runtime.py - registers the operators of _table.py with torch, on torch 1.13 or newer
#
# Kernels are C (and CUDA) in the libraries beside this file.  Shapes come from the
# expressions of op.json ("outputs"), which are the bodies of fakes, too.
import array
import ctypes
import functools
import inspect
import os
import re
import struct
import warnings

import torch

from ._expressions import _dtypes  # noqa: F401

# dtype: its code and bits in DLPack
_codes = {
    torch.float64: (2, 64), torch.float32: (2, 32), torch.float16: (2, 16),
    torch.bfloat16: (4, 16), torch.int64: (0, 64), torch.int32: (0, 32),
    torch.int16: (0, 16), torch.int8: (0, 8), torch.uint8: (1, 8),
    torch.bool: (6, 8), torch.complex64: (5, 64), torch.complex128: (5, 128),
}
_NONE, _BOOL, _INT, _FLOAT, _STRING, _DTYPE, _DEVICE, _TENSOR, _LIST, _ALIAS, _WRITTEN = range(11)
_UNSUPPORTED, _WORKSPACE = 1, 3
REQUIRED = object()


# --- one operator -------------------------------------------------------------

class Op:
    """A row of _table.py."""

    def __init__(self, index, name, schema, args, returns, outputs, devices, backward=None):
        self.index, self.name, self.schema = index, name, schema
        self.args = args          # (name, keyword only, default or REQUIRED)
        self.returns = returns    # the argument that each return is, or -1
        self.outputs = outputs    # of a dict of arguments: [(shape, dtype)]
        self.devices = devices    # of "cpu", "cuda"
        # operator, its arguments by (arguments, gradients, outputs) as a dict, the
        # numbers of the arguments whose gradients it returns, of outputs it takes them of
        self.backward = backward
        self.kernels = {}         # by device: functions of libraries
        self.direct = False       # torch calls the kernel without Python
        self.fresh = all(r < 0 for r in returns)  # also if there are none
        names = re.findall(r"Tensor\(\w+!\)\S* (\w+)", schema.rsplit("->", 1)[0])
        self.changed = [i for i, (n, _, _) in enumerate(args) if n in names]
        # those that are not returned: outputs after the returns
        self.written = [i for i in self.changed if i not in returns]

    def bind(self, args, kwargs):
        """All arguments in the schema's order; torch leaves out defaults."""
        if len(args) == len(self.args):
            return list(args)
        out = list(args)
        for name, _, default in self.args[len(args):]:
            v = kwargs.get(name, default)
            if v is REQUIRED:
                raise TypeError(f"{self.name}: argument '{name}' is missing")
            out.append(v)
        return out

    def split(self, a):
        """Positional and keyword arguments of a call."""
        return (tuple(v for v, (_, only, _) in zip(a, self.args) if not only),
                {n: v for v, (n, only, _) in zip(a, self.args) if only})

    def aliases(self, a):
        """The argument that each output of a kernel is; -1: it is new."""
        return self.returns + [i for i in self.written if a[i] is not None]

    def named(self, a):
        return {arg[0]: v for arg, v in zip(self.args, a)}


def _tensors(a):
    for v in a:
        if isinstance(v, torch.Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            for item in v:
                if isinstance(item, torch.Tensor):
                    yield item


def _leader(a):
    """The tensor whose device is that of the call: one number on a processor goes anywhere."""
    first = next(_tensors(a))
    if first.dim() or first.device.type != "cpu":
        return first
    return next((t for t in _tensors(a) if t.device.type != "cpu"), first)


def _put_tensor(words, t):
    code, bits = _codes[t.dtype]
    shape = t.shape
    words += (_TENSOR, t.data_ptr(), code, bits, len(shape))
    words += shape
    words += t.stride()


def _put(words, v, keep):
    if isinstance(v, torch.Tensor):
        _put_tensor(words, v)
    elif v is None:
        words.append(_NONE)
    elif isinstance(v, bool):
        words += (_BOOL, v)
    elif isinstance(v, int):
        words += (_INT, v)
    elif isinstance(v, float):
        words += (_FLOAT, struct.unpack("q", struct.pack("d", v))[0])
    elif isinstance(v, (list, tuple)):
        words += (_LIST, len(v))
        for item in v:
            _put(words, item, keep)
    elif isinstance(v, str):
        text = ctypes.create_string_buffer(v.encode())
        keep.append(text)
        words += (_STRING, len(text) - 1, ctypes.addressof(text))
    elif isinstance(v, torch.dtype):
        words += (_DTYPE,) + _codes[v]
    elif isinstance(v, torch.device):
        words += (_DEVICE, 2 if v.type == "cuda" else 1, v.index or 0)
    else:
        raise NotImplementedError(f"an argument of type {type(v).__name__}")


def _call(op, a, outs, device, workspace=None):
    """One call; 0 or _UNSUPPORTED.  Raises what the kernel says."""
    function, error, wanted = op.kernels[device.type]
    keep = []
    cuda = device.type == "cuda"
    words = [2 if cuda else 1, device.index or 0, 1 if cuda else torch.get_num_threads(),
             torch.cuda.current_stream(device).cuda_stream if cuda else 0, 0]
    words += (workspace.data_ptr(), workspace.numel()) if workspace is not None else (0, 0)
    words.append(len(a))
    for v in a:
        _put(words, v, keep)
    aliases = op.aliases(a)
    words.append(len(aliases))
    for i, alias in enumerate(aliases):
        if alias >= 0:
            words += (_ALIAS if i < len(op.returns) else _WRITTEN, alias)
        else:
            _put_tensor(words, outs[i])
    packed = array.array("q", words)
    rc = function(op.index, packed.buffer_info()[0], len(packed))
    if rc == _WORKSPACE and (workspace is None or wanted() > workspace.numel()):
        room = torch.empty(wanted(), dtype=torch.uint8, device=device)
        return _call(op, a, outs, device, room)
    if rc not in (0, _UNSUPPORTED):
        raise RuntimeError(f"{op.name}: {error().decode(errors='replace')}")
    return rc


def _words(v):
    if isinstance(v, torch.Tensor):
        return f"{str(v.dtype)[6:]}{list(v.shape)}"
    if isinstance(v, (list, tuple)):
        return f"[{', '.join(map(_words, v))}]"
    return repr(v)


def _refuse(op, a):
    what = ", ".join(map(_words, a))
    raise NotImplementedError(
        f"{op.name}: no implementation takes these arguments ({what})")


def _is_placed(t):
    """Kernels of a GPU may read 16 bytes at a time."""
    return t.device.type == "cpu" or t.data_ptr() % 16 == 0


def _placed(v, device):
    """The same values where kernels can read them: on the device, aligned."""
    if isinstance(v, torch.Tensor):
        v = v if v.device == device else v.to(device)
        return v if _is_placed(v) else v.clone()
    if isinstance(v, (list, tuple)) and any(isinstance(i, torch.Tensor) for i in v):
        return [_placed(i, device) for i in v]
    return v


def _straight(v):
    """The same values, without gaps."""
    if isinstance(v, torch.Tensor):
        return v.contiguous()
    if isinstance(v, (list, tuple)) and any(isinstance(i, torch.Tensor) for i in v):
        return [_straight(i) for i in v]
    return v


def _run_on(op, given, outs, device):
    """Implementations on the arguments as they lie, then on contiguous copies."""
    if any(t.device != device for t in _tensors(given) if t.dim() or t.device.type != "cpu"):
        raise RuntimeError(f"{op.name}: arguments on different devices")
    a = given if device.type == "cpu" else [_placed(v, device) for v in given]
    if _call(op, a, outs, device) != 0:
        b = [_straight(v) for v in a]
        if all(x is y for x, y in zip(_tensors(a), _tensors(b))) or \
                _call(op, b, outs, device) != 0:
            _refuse(op, given)
        a = b
    for alias in op.aliases(given) if a is not given else ():
        if alias >= 0 and given[alias] is not a[alias]:
            given[alias].copy_(a[alias])


def run(op, a, outs):
    """Run with these outputs (None where an output is an argument)."""
    device = _leader(a).device
    if device.type == "cuda":
        with torch.cuda.device(device):
            _run_on(op, a, outs, device)
    else:
        _run_on(op, a, outs, device)


def make_outputs(op, a):
    like = _leader(a)
    if op.outputs is None:
        return [None] * len(op.returns)
    return [None if alias >= 0 else like.new_empty(shape, dtype=dtype)
            for alias, (shape, dtype) in zip(op.returns, op.outputs(op.named(a)))]


def _result(op, a, outs):
    all = [a[alias] if alias >= 0 else out for alias, out in zip(op.returns, outs)]
    return all[0] if len(all) == 1 else tuple(all) if all else None


def _functional(op):
    def kernel(*args, **kwargs):
        a = op.bind(args, kwargs)
        outs = make_outputs(op, a)
        run(op, a, outs)
        return _result(op, a, outs)
    return kernel


def _fake(op):
    def fake(*args, **kwargs):
        a = op.bind(args, kwargs)
        return _result(op, a, make_outputs(op, a))
    return fake


def out_names(op):
    return ["out"] if len(op.returns) == 1 else [f"out{i}" for i in range(len(op.returns))]


def _out_schema(op, form):
    """name.out(..., *, Tensor(a!) out) -> Tensor(a!), or name.into(...) -> ()"""
    head, _ = op.schema.rsplit("->", 1)
    name, rest = head.rstrip()[:-1].split("(", 1)
    name += f"_{form}" if "." in name else f".{form}"
    letters = [c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ" if f"({c}!)" not in rest]
    places = ", ".join(f"Tensor({c}!) {n}" for c, n in zip(letters, out_names(op)))
    returns = ", ".join(f"Tensor({c}!)" for c, _ in zip(letters, op.returns))
    star = "" if any(only for _, only, _ in op.args) else "*, "
    if form == "into":
        returns = "()"
    elif len(op.returns) > 1:
        returns = f"({returns})"
    return name, f"{name}({rest}{', ' if rest else ''}{star}{places}) -> {returns}"


def _storage(t):
    return (t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()).data_ptr()


def _out_variant(op, form):
    names = out_names(op)

    def kernel(*args, **kwargs):
        given = [kwargs.pop(n) for n in names]
        a = op.bind(args, kwargs)
        spec = op.outputs(op.named(a))
        used = {_storage(t) for t in _tensors(a)}
        outs = []
        for n, t, (shape, dtype) in zip(names, given, spec):
            if list(t.shape) != list(shape) or t.dtype != dtype:
                raise RuntimeError(f"{op.name}: {n}: expected {dtype} {list(shape)}, "
                                   f"found {t.dtype} {list(t.shape)}")
            if t.device != _leader(a).device:
                raise RuntimeError(f"{op.name}: {n}: expected a tensor on "
                                   f"{_leader(a).device}, found one on {t.device}")
            direct = t.is_contiguous() and _storage(t) not in used and _is_placed(t)
            outs.append(t if direct else t.new_empty(shape))
        run(op, a, outs)
        for t, o in zip(given, outs):
            if t is not o:
                t.copy_(o)
        if form == "into":
            return None
        return given[0] if len(given) == 1 else tuple(given)
    return kernel


def _fake_out(op, form):
    names = out_names(op)

    def fake(*args, **kwargs):
        if form == "into":
            return None
        outs = [kwargs[n] for n in names]
        return outs[0] if len(outs) == 1 else tuple(outs)
    return fake


# --- gradients: by another operator, or none, and said so -----------------------

def _below_autograd(call, args, kwargs):
    guard = torch._C._AutoDispatchBelowAutograd()
    if hasattr(guard, "__enter__"):
        with guard:
            return call(*args, **kwargs)
    try:
        return call(*args, **kwargs)
    finally:
        del guard  # torch 1.13 ends it so


def _refusal(op):
    class Refuse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, result, *inputs):
            return result.view_as(result)

        @staticmethod
        def backward(ctx, *grads):
            raise NotImplementedError(
                f"{op.name} has no gradient: call it under torch.no_grad(), or name one by "
                "'backward' in op.json")

    def apply(call, args, kwargs, inputs):
        result = _below_autograd(call, args, kwargs)
        wrap = lambda t: (Refuse.apply(t, *inputs)
                          if t.is_floating_point() or t.is_complex() else t)
        return tuple(map(wrap, result)) if isinstance(result, (tuple, list)) else wrap(result)
    return apply


def _refuse_in_place(op, a):
    """What is written would have the gradient of what it was before."""
    for (name, _, _), v in zip(op.args, a):
        if any(t.requires_grad for t in _tensors([v])):
            raise RuntimeError(
                f"{op.name} writes in place and has no gradient, and argument '{name}' requires "
                "one: call it under torch.no_grad()")


def _gradient(op, ns, ops):
    name, arguments, returned, taken = op.backward
    other = next(o for o in ops if o.schema.split("(", 1)[0].strip() == name)

    class Gradient(torch.autograd.Function):
        @staticmethod
        def forward(ctx, call, *a):
            result = _below_autograd(call, *op.split(a))
            outs = list(result) if isinstance(result, (tuple, list)) else [result]
            ctx.save_for_backward(*(v for v in a if isinstance(v, torch.Tensor)), *outs)
            ctx.others = [None if isinstance(v, torch.Tensor) else (v,) for v in a]
            ctx.mark_non_differentiable(*(o for i, o in enumerate(outs) if i not in taken))
            return result

        @staticmethod
        def backward(ctx, *grads):
            for (n, _, _), asked, i in zip(op.args, ctx.needs_input_grad[1:], range(len(op.args))):
                if asked and i not in returned:
                    raise NotImplementedError(f"{op.name} has no gradient for argument '{n}'")
            saved = list(ctx.saved_tensors)
            a = [v[0] if v else saved.pop(0) for v in ctx.others]
            args, kwargs = other.split(other.bind((), arguments(op.named(a), grads, saved)))
            got = _overload(ns, name)(*args, **kwargs)
            full = [None] * len(a)
            for i, g in zip(returned, got if isinstance(got, (tuple, list)) else [got]):
                full[i] = g if ctx.needs_input_grad[1 + i] else None
            return (None, *full)

    def apply(call, args, kwargs, inputs):
        a = op.bind(args, kwargs)
        for v in a:
            if isinstance(v, (tuple, list)) and any(t.requires_grad for t in _tensors(v)):
                raise NotImplementedError(f"{op.name} has no gradient for lists of tensors")
        return Gradient.apply(call, *a)
    return apply


def _autograd(op, ns, ops, target, fresh):
    """Results that know their gradient, or raise in backward().

    A kernel of our own takes less time than torch.library.register_autograd, and
    torch 1.13 needs one for operators of other namespaces anyway.
    """
    apply = _gradient(op, ns, ops) if op.backward else _refusal(op)
    call = None

    def kernel(keys, *args, **kwargs):
        nonlocal call
        call = call or target()
        if fresh and torch.is_grad_enabled():
            inputs = [t for t in _tensors((*args, *kwargs.values())) if t.requires_grad]
            if inputs:
                return apply(call, args, kwargs, inputs)
        if op.changed and not fresh and torch.is_grad_enabled():
            _refuse_in_place(op, op.bind(args, kwargs))
        if keys is None:
            return _below_autograd(call, args, kwargs)
        return call.redispatch(keys & torch._C._after_autograd_keyset, *args, **kwargs)
    return kernel


def _register_autograd(lib, name, kernel):
    if "with_keyset" in inspect.signature(lib.impl).parameters:
        lib.impl(name, kernel, "Autograd", with_keyset=True)
    else:
        lib.impl(name, functools.partial(kernel, None), "Autograd")


def _autograd_keys():
    """What is left out below autograd, as a number; 0: this torch does not say."""
    try:
        before = torch._C._dispatch_tls_local_exclude_set().raw_repr()
        guard = torch._C._AutoDispatchBelowAutograd()
        keys = torch._C._dispatch_tls_local_exclude_set().raw_repr()
        del guard
    except (AttributeError, TypeError):
        return 0
    return keys & ~before


def _register_graded(lib, so, ns, op, kernel):
    """On a processor C asks whether a gradient is wanted, and calls _grad_NAME if so."""
    name = op.schema.split("(", 1)[0].strip()
    keys = _autograd_keys()
    if not keys or not hasattr(so, "osw_export_torch_gradient"):
        return
    lib.define("_grad_" + op.schema)
    lib.impl("_grad_" + name, functools.partial(kernel, None), "CompositeImplicitAutograd")
    so.osw_export_torch_gradient.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int,
                                             ctypes.c_uint64]
    so.osw_export_torch_gradient(ns.encode(), name.encode(), op.index, keys)


# --- registration ---------------------------------------------------------------

def _load(folder, name, device):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return None
    if device == "cuda" and not torch.cuda.is_available():
        return None  # what it needs may not be here
    try:
        lib = ctypes.CDLL(path)
    except OSError as e:
        if device == "cpu":
            raise ImportError(f"{path} cannot be loaded: {e}") from None
        warnings.warn(f"{path} cannot be loaded, GPU code is left out: {e}")
        return None
    lib.osw_export_call.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int64]
    lib.osw_export_error.restype = ctypes.c_char_p
    lib.osw_export_wanted.restype = ctypes.c_int64
    return lib


def _register_fake(lib, ns, name, fake):
    if hasattr(torch.library, "register_fake"):
        torch.library.register_fake(f"{ns}::{name}", fake, lib=lib)
    elif hasattr(torch.library, "impl_abstract"):
        torch.library.impl_abstract(f"{ns}::{name}", fake, lib=lib)
    else:
        lib.impl(name, fake, "Meta")


def _overload(ns, name):
    packet, _, overload = name.partition(".")
    return getattr(getattr(getattr(torch.ops, ns), packet), overload or "default")


def register(ns, ops, folder):
    """Define and implement all operators; returns what must be kept alive."""
    found = [int(n) for n in re.findall(r"\d+", torch.__version__)[:2]]
    if found < [1, 13]:
        raise ImportError(f"{ns} needs torch 1.13 or newer, found {torch.__version__}")
    files = {"cpu": f"lib{ns}.so", "cuda": f"lib{ns}_cuda.so"}
    if not any(os.path.exists(os.path.join(folder, f)) for f in files.values()):
        raise ImportError(f"{folder}: {' or '.join(files.values())} is missing: run make first")
    libs = {device: _load(folder, f, device) for device, f in files.items()}
    try:
        lib = torch.library.Library(ns, "FRAGMENT")
    except ValueError:  # torch 1.13
        lib = torch.library.Library(ns, "DEF")
    for op in ops:
        _register_op(lib, ns, op, ops, libs)
    return lib, libs


def _register_op(lib, ns, op, ops, libs):
    name = op.schema.split("(", 1)[0].strip()
    op.name, short = f"{ns}::{name}", name
    forms = [(name, op.schema, _functional(op), _fake(op))]
    if op.fresh and op.returns:
        for form in "out", "into":
            out, schema = _out_schema(op, form)
            forms.append((out, schema, _out_variant(op, form), _fake_out(op, form)))
    for device in op.devices:
        so = libs[device]
        if so is not None:
            op.kernels[device] = so.osw_export_call, so.osw_export_error, so.osw_export_wanted
    for name, schema, kernel, fake in forms:
        lib.define(schema)
        for device in op.kernels:
            if device == "cpu" and op.fresh and name == short and \
                    hasattr(libs[device], "osw_export_torch") and \
                    not os.environ.get("OPSWEEP_EXPORT_PYTHON") and \
                    libs[device].osw_export_torch(ns.encode(), name.encode(), op.index) == 0:
                op.direct = True
                continue
            lib.impl(name, kernel, device.upper())
        _register_fake(lib, ns, name, fake)
        target = functools.partial(_overload, ns, name)
        fresh = op.fresh and bool(op.returns) and name == short
        if fresh and op.direct and not op.backward and \
                libs["cpu"].osw_export_torch_no_gradient(ns.encode(), name.encode()) == 0:
            continue
        if fresh or (op.changed and name == short) or not hasattr(torch.library, "register_fake"):
            kernel = _autograd(op, ns, ops, target, fresh)
            _register_autograd(lib, name, kernel)
            if op.direct and op.backward and fresh:
                _register_graded(lib, libs["cpu"], ns, op, kernel)
