# opsweep_host.py - what the sandbox does in Python
#
# Run by opsweep-sandbox with the user's own interpreter.  It loads
# libopsweep_sandbox.so, whose loop serves the judge and calls the methods of
# Host below: worker/sandbox/python.c is the other side.  Nothing here runs
# inside a timed call.
import ctypes
import gc
import importlib
import importlib.metadata
import importlib.util
import linecache
import os
import re
import socket
import sys
import tempfile
import time
import traceback
import warnings

import opsweep_cases
import opsweep_locks

# What Host.explain() says of an exception; 1 and 2 are op.h's.
UNSUPPORTED, ERROR, NO_MEMORY = 1, 2, 3

SOCKET = 3              # the end of the judge's socket: worker/protocol.h
READY = b"\x40"
PROGRESS = b"\x46"

MAX_TRACEBACK = 3000  # characters that go to the record's output
MAX_DEPTH = 32        # of nested outputs
PLAIN_NUMEL = 1 << 18  # larger outputs are copied by the library's own threads

# Relative and absolute: the table of torch.testing.assert_close, by which the
# judge decides too.
TOLERANCES = {"f16": (1e-3, 1e-5), "bf16": (1.6e-2, 1e-5),
              "f32": (1.3e-6, 1e-5), "f64": (1e-7, 1e-7)}
CASES_PER_COLLECTION = 64

# Unit roundoffs, and what perturbed runs say by the rule of tolerance.h.
ROUNDOFFS = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24,
             "f64": 2.0**-53}
PERTURBED_RUNS = 3
LARGEST = 12


class BadOutput(Exception):
    """What came back is nothing that can be judged."""


def first_line(text):
    lines = str(text).strip().splitlines()
    return lines[0] if lines else ""


def imports(source, names):
    """Does the source import one of these packages, anywhere?"""
    pattern = r"^\s*(?:import|from)\s+(?:%s)\b" % "|".join(names)
    return re.search(pattern, source, re.MULTILINE) is not None


def importable(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


# --- arrays: what tensors of a case are to the op's code ---


class Numpy:
    """Arrays of numpy, on the host only."""

    NAMES = {"f64": "float64", "f32": "float32", "f16": "float16",
             "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
             "u8": "uint8", "b8": "bool", "c64": "complex64",
             "c128": "complex128"}

    def __init__(self, device):
        import numpy
        self.numpy = numpy
        if device != "cpu":
            raise ImportError(
                "numpy has no arrays on a GPU: this file needs --device cpu, "
                "or torch")
        self.dtypes = {k: numpy.dtype(v) for k, v in self.NAMES.items()}
        self.names = {v: k for k, v in self.dtypes.items()}
        self.types = (numpy.ndarray,)

    def tensor(self, capsule, address, n_bytes, dtype, shape, strides):
        if n_bytes == 0:
            return self.numpy.empty(shape, self.dtype(dtype))
        buffer = (ctypes.c_char * n_bytes).from_address(address)
        return self.numpy.ndarray(shape, self.dtype(dtype), buffer,
                                  strides=strides)

    def dtype(self, name):
        if name not in self.dtypes:
            raise NotImplementedError("%s needs torch" % name)
        return self.dtypes[name]

    def word(self, text, name):
        return text

    def seed(self, seed):
        self.numpy.random.seed(seed % 2**32)

    def begin(self, seed, stream):
        self.seed(seed)

    def keep_random(self):
        return self.numpy.random.get_state()

    def put_random(self, state):
        self.numpy.random.set_state(state)

    def is_tensor(self, value):
        return type(value) is self.numpy.ndarray

    def look(self, value):
        """dtype's name, shape, address, and whether its bytes lie there in
        order.
        """
        if value.dtype not in self.names:
            raise BadOutput("an output of dtype %s" % value.dtype)
        return self.names[value.dtype], value.shape, \
            value.__array_interface__["data"][0], \
            value.flags.c_contiguous and value.size <= PLAIN_NUMEL

    def same_place(self, a, b):
        return (a.dtype == b.dtype and a.shape == b.shape and
                a.strides == b.strides and a.ctypes.data == b.ctypes.data)

    def keep(self, value):
        return value.copy()

    def same(self, value, kept):
        """To the bit."""
        return value.tobytes() == kept.tobytes()

    def differ(self, pairs):
        """Which of them are not the same."""
        return [not self.same(*p) for p in pairs]

    def bits(self, value):
        return value.tobytes()

    def copy(self, slot, value):
        self.numpy.copyto(slot, value)

    take = copy

    def widen(self, value):
        """A copy in float64 or complex128, of other dtypes in its own."""
        if value.dtype.kind not in "fc":
            return value.copy()
        return value.astype(self.numpy.complex128 if value.dtype.kind == "c"
                            else self.numpy.float64)

    def widen_dtype(self, value):
        """float64 for a narrower float, else None."""
        try:
            narrow = self.names.get(self.numpy.dtype(value)) in ("f16", "f32")
        except TypeError:
            return None
        return self.numpy.dtype("float64") if narrow else None

    def signs(self, value, seed):
        """-1 and 1 at random, of its shape; no other generator advances."""
        random = self.numpy.random.RandomState(seed)
        return random.randint(0, 2, value.shape) * 2.0 - 1

    def form(self, value):
        return value, value.shape, value.strides

    def put_back(self, form):
        value, shape, strides = form
        if value.shape != shape or value.strides != strides:
            value.shape, value.strides = shape, strides

    def is_narrow(self, value):
        return value.dtype.name in ("float16", "float32", "complex64")

    def agrees(self, value, exact, rtol, atol):
        with self.numpy.errstate(all="ignore"):
            return self.numpy.allclose(
                value.astype(self.numpy.float64), exact.astype(value.dtype),
                rtol, atol, equal_nan=True)

    def layout(self, value):
        """Shape, strides in elements (None: contiguous), dtype's name."""
        if value.dtype not in self.names:
            raise BadOutput("a tensor of dtype %s" % value.dtype)
        dtype, shape = self.names[value.dtype], value.shape
        size = value.itemsize
        plain = value.flags.c_contiguous or \
            any(s < 0 or s % size for s in value.strides)
        return shape, None if plain else [s // size for s in value.strides], \
            dtype

    def notation(self, value):
        if isinstance(value, self.numpy.generic):
            return repr(value.item())
        if isinstance(value, (self.numpy.dtype, type)):
            try:
                return self.names.get(self.numpy.dtype(value))
            except TypeError:
                return None
        return None


class Torch:
    """Tensors of torch, on any device."""

    NAMES = {"f64": "float64", "f32": "float32", "f16": "float16",
             "bf16": "bfloat16", "i64": "int64", "i32": "int32",
             "i16": "int16", "i8": "int8", "u8": "uint8", "b8": "bool",
             "c64": "complex64", "c128": "complex128"}

    def __init__(self, device):
        import torch
        import torch.utils.dlpack
        self.torch = torch
        self.from_dlpack = getattr(torch._C, "_from_dlpack",
                                   torch.utils.dlpack.from_dlpack)
        self.dtypes = {k: getattr(torch, v) for k, v in self.NAMES.items()}
        self.names = {v: k for k, v in self.dtypes.items()}
        self.device = device
        self.here = "is_" + device  # of tensors that are where they should be
        self.seed_host = torch.default_generator.manual_seed
        self.types = (torch.Tensor, torch.nn.Parameter)
        self.strided = torch.strided
        self.integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32,
                         8: torch.int64}
        self.narrow = (torch.float16, torch.bfloat16, torch.float32)
        self.stream = None

    def tensor(self, capsule, address, n_bytes, dtype, shape, strides):
        tensor = self.from_dlpack(capsule)
        return tensor.view(self.torch.bool) if dtype == "b8" else tensor

    def dtype(self, name):
        return self.dtypes[name]

    def word(self, text, name):
        if text.startswith("torch."):
            return getattr(self.torch, text[6:], text)
        if name == "device":
            return self.device
        return text

    def seed(self, seed):
        self.torch.manual_seed(seed)

    def begin(self, seed, stream):
        self.seed_host(seed)
        if self.device == "cuda":
            self.torch.cuda.manual_seed(seed)
        if self.device == "cuda" and stream and stream != self.stream:
            cuda = self.torch.cuda
            cuda.set_stream(cuda.ExternalStream(stream))
            self.stream = stream

    def keep_random(self):
        device = self.device == "cuda" and self.torch.cuda.get_rng_state()
        return self.torch.get_rng_state(), device

    def put_random(self, state):
        self.torch.set_rng_state(state[0])
        if self.device == "cuda":
            self.torch.cuda.set_rng_state(state[1])

    def is_tensor(self, value):
        return type(value) in self.types

    def look(self, value):
        """dtype's name, shape, address, and whether its bytes lie there in
        order.
        """
        if value.layout is not self.strided:
            raise BadOutput("an output of layout %s" % value.layout)
        if not getattr(value, self.here):
            raise BadOutput("an output on %s, expected %s" %
                            (value.device, self.device))
        dtype = self.names.get(value.dtype)
        if dtype is None:
            raise BadOutput("an output of dtype %s" % value.dtype)
        # Negated and conjugated views hold other bytes than they say.
        plain = value.is_contiguous() and not value.is_neg() and \
            (dtype[0] != "c" or not value.is_conj()) and \
            value.numel() <= PLAIN_NUMEL
        return dtype, value.shape, value.data_ptr(), plain

    def same_place(self, a, b):
        return (a.dtype == b.dtype and a.shape == b.shape and
                a.stride() == b.stride() and a.data_ptr() == b.data_ptr())

    def keep(self, value):
        return value.detach().clone()

    def same(self, value, kept):
        """To the bit."""
        return self.torch.equal(value, kept) or \
            self.bits(value) == self.bits(kept)

    def differ(self, pairs):
        """Which of them are not the same; a GPU is waited for once."""
        if self.device == "cpu" or len(pairs) < 2 or \
                not all(self.has_bits(v) and v.shape == kept.shape
                        for v, kept in pairs):
            return [not self.same(*p) for p in pairs]
        return self.torch.stack([self.unlike(*p) for p in pairs]).tolist()

    def unlike(self, a, b):
        """Neither equal nor the same NaN anywhere: a bool on the device."""
        integer = self.integers[a.element_size()]
        a, b = a.detach(), b.detach()
        return (a.view(integer).ne(b.view(integer)) & a.ne(b)).any()

    def has_bits(self, value):
        return value.element_size() in self.integers and \
            not (value.is_neg() or value.is_conj())

    def bits(self, value):
        flat = value.detach().contiguous().reshape(-1).cpu()
        if flat.is_complex():
            flat = self.torch.view_as_real(flat).reshape(-1)
        return flat.view(self.torch.uint8).numpy().tobytes()

    def copy(self, slot, value):
        with self.torch.no_grad():
            slot.copy_(value)

    def widen(self, value):
        """A copy in float64 or complex128, of other dtypes in its own."""
        value = value.detach()
        if value.is_complex():
            return value.to(self.torch.complex128, copy=True)
        return value.to(self.torch.float64 if value.is_floating_point()
                        else value.dtype, copy=True)

    def widen_dtype(self, value):
        """float64 for a narrower float, else None."""
        return self.torch.float64 if value in self.narrow else None

    def signs(self, value, seed):
        """-1 and 1 at random, of its shape; no other generator advances."""
        random = self.torch.Generator().manual_seed(seed)
        return self.torch.randint(0, 2, value.shape, generator=random).to(
            value) * 2 - 1

    def form(self, value):
        return value, value.shape, value.stride()

    def put_back(self, form):
        value, shape, strides = form
        if value.shape != shape or value.stride() != strides:
            value.as_strided_(shape, strides, 0)

    def is_narrow(self, value):
        return value.dtype in self.narrow or \
            value.dtype is self.torch.complex64

    def agrees(self, value, exact, rtol, atol):
        wide = self.torch.float64
        value = value.detach()
        exact = exact.detach().to(value.dtype).to(wide)
        value = value.to(wide)
        if value.numel() == 0 or (value - exact).abs_().sub_(
                exact.abs(), alpha=rtol).max() <= atol:
            return True  # the quick way; NaN and infinities come this far
        return self.torch.allclose(value, exact, rtol, atol, equal_nan=True)

    def take(self, slot, value):
        if not self.is_tensor(value):
            value = self.torch.from_numpy(value.copy())
        self.copy(slot, value)

    def layout(self, value):
        """Shape, strides in elements (None: contiguous), dtype's name."""
        if value.layout is not self.torch.strided:
            raise BadOutput("a tensor of layout %s" % value.layout)
        if value.dtype not in self.names:
            raise BadOutput("a tensor of dtype %s" % value.dtype)
        return tuple(value.shape), \
            None if value.is_contiguous() else value.stride(), \
            self.names[value.dtype]

    def notation(self, value):
        torch = self.torch
        if isinstance(value, torch.dtype):
            return self.names.get(value, str(value))
        if isinstance(value, torch.device):
            return repr(str(value))
        if isinstance(value, (torch.layout, torch.memory_format)):
            return str(value)
        if isinstance(value, torch.Size):
            return repr(list(value))
        return None


class Host:
    """The methods that python.c calls.  What they raise goes to explain()."""

    def __init__(self, device):
        self.device = device
        self.arrays = None
        self.path = ""
        self.reference = False
        self.args = ()
        self.aliases = ()
        self.forms = ()
        self.before = {}
        self.wide = None  # what the reference gets once more, in float64
        self.called = ((), {})  # what it was called with
        self.note = ""    # on the result of the last call
        self.tuners = {}  # Triton's, of the file
        self.tells = False  # of what Triton compiles
        self.generator = None
        self.entry = None
        self.n_cases = 0

    # --- loading ---

    def choose_arrays(self, source, namespace):
        """torch's, unless the file imports numpy and nothing of torch."""
        wanted = namespace.get("OPSWEEP_ARRAYS")
        plain = imports(source, ["numpy"]) and \
            not imports(source, ["torch", "triton"])
        if wanted not in (None, "numpy", "torch"):
            raise ValueError("OPSWEEP_ARRAYS is %r, expected 'numpy' or "
                             "'torch'" % (wanted,))
        if wanted == "numpy" or (not wanted and (
                plain or not importable("torch"))):
            return Numpy(self.device)
        return Torch(self.device)

    def run_file(self, path):
        """The file as a module, and its source."""
        self.path = path
        folder = os.path.dirname(path)
        stem = os.path.splitext(os.path.basename(path))[0]
        sys.path.insert(0, folder)
        sys.argv = [path]
        with open(path, encoding="utf-8") as f:
            source = f.read()
        spec = importlib.util.spec_from_file_location(stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[stem] = module
        spec.loader.exec_module(module)
        return module, source

    def load(self, path, symbol, entry, reference):
        self.reference = reference
        module, source = self.run_file(path)
        self.take_arrays(self.choose_arrays(source, vars(module)))
        names = [part + entry for part in symbol.split("|")]
        name = next((n for n in names if hasattr(module, n)), names[0])
        found = getattr(module, name, None)
        if found is None:
            raise AttributeError(self.missing(vars(module), name, entry))
        if not callable(found):
            raise TypeError("'%s' is of type %s, expected a function" %
                            (name, type(found).__name__))
        self.entry = found
        if "triton" in sys.modules:
            self.tuners = autotuners(vars(module))
        self.watch_triton()
        gc.collect()
        gc.freeze()
        gc.disable()
        return found

    def watch_triton(self):
        """As soon as somebody has imported it."""
        if not self.tells and "triton" in sys.modules:
            self.tells = True
            tell_of_compiling()

    def load_generator(self, path, asked):
        opsweep_cases.stand_in_for_backendbench()
        module, _ = self.run_file(path)
        kinds = [k for k in (Torch, Numpy)
                 if importable(k.__name__.lower()) and
                 (k is Numpy or k.__name__.lower() in sys.modules)]
        arrays = [k("cpu") for k in kinds]
        if not arrays:
            raise ImportError("neither torch nor numpy can be imported")
        self.take_arrays(arrays[0])
        make = getattr(module, "make_generator", None)
        self.generator = make(asked, arrays) if make else \
            opsweep_cases.Generator(path, module, arrays)
        return self.generator

    def expand(self, seed):
        return self.generator.expand(seed, self.explain)

    def draw(self, args, kwargs, index, seed):
        return self.generator.draw(args, kwargs, index, seed)

    def missing(self, namespace, name, entry):
        return "%s defines no '%s'%s" % (
            os.path.basename(self.path), name,
            opsweep_cases.near_miss(namespace, name, entry))

    # --- a case ---

    def take_arrays(self, arrays):
        """From now on tensors, dtypes and words are made by these."""
        self.arrays = arrays
        self.tensor = arrays.tensor
        self.dtype = arrays.dtype
        self.word = arrays.word

    def begin(self, args, aliases, seed, stream):
        """A case begins: its arguments, and which outputs must be one."""
        self.n_cases += 1
        if self.n_cases % CASES_PER_COLLECTION == 0:
            gc.collect()
        self.args = args
        self.aliases = aliases
        self.arrays.begin(seed, stream)
        self.forms = [self.arrays.form(a) for a in args
                      if self.arrays.is_tensor(a)]
        self.before = {}
        self.wide = None
        self.watch_triton()

    def put_back(self):
        """Shapes and strides as they were, of arguments that a call left
        otherwise: theirs is only the memory that the judge restores.
        """
        for form in self.forms:
            self.arrays.put_back(form)

    def remember(self, args, kwargs):
        """Arguments as they are before the reference is called, to be looked
        at and not timed.
        """
        self.before = {i: self.arrays.keep(a) for i, a in enumerate(self.args)
                       if self.arrays.is_tensor(a)}
        self.note = ""
        self.wide = None
        if hasattr(self.entry, "wanted"):
            self.entry.wanted = True  # it hands over float64 itself
            return
        if not any(self.arrays.is_narrow(v) for v in self.tensors(self.args)):
            return
        self.called = args, kwargs
        try:
            self.wide = self.widened([self.widen(v) for v in self.args])
        except Exception as e:
            self.note = self.own_precision(e)

    def widened(self, wide):
        """All arguments, positional ones and those by keyword, in float64."""
        every = {id(v): w for v, w in zip(self.args, wide)}
        args, kwargs = self.called
        return wide, tuple(every[id(v)] for v in args), \
            {k: every[id(v)] for k, v in kwargs.items()}

    def perturbed(self, seed):
        """As widened(), each number changed by half a unit in the last place
        of its own dtype.
        """
        wide = [self.widen(self.before.get(i, v))
                for i, v in enumerate(self.args)]
        for i, (own, w) in enumerate(zip(self.args, wide)):
            for j, (v, t) in enumerate(zip(self.tensors(own),
                                           self.tensors(w))):
                if self.arrays.is_narrow(v):
                    u = ROUNDOFFS.get(self.arrays.look(v)[0], ROUNDOFFS["f32"])
                    t *= 1 + u * self.arrays.signs(t.real, seed + i + 99 * j)
        return self.widened(wide)

    def tensors(self, value):
        """Those of an argument, however deep."""
        if isinstance(value, dict):
            value = tuple(value.values())
        if isinstance(value, (tuple, list)):
            return [t for v in value for t in self.tensors(v)]
        return [value] if self.arrays.is_tensor(value) else []

    def widen(self, value):
        if self.arrays.is_tensor(value):
            return self.arrays.widen(value)
        if type(value) in (tuple, list):
            return type(value)(self.widen(v) for v in value)
        if type(value) is dict:
            return {k: self.widen(v) for k, v in value.items()}
        if isinstance(value, (bool, int, float, str, type(None))):
            return value
        wider = self.arrays.widen_dtype(value)
        return value if wider is None else wider

    @staticmethod
    def own_precision(why):
        if isinstance(why, BaseException):
            words = first_line(why)
            why = type(why).__name__ + (": " + words if words else "")
        return "the reference is taken in its own precision (%s)" % why

    # --- what came back ---

    def leaves(self, value, depth=0):
        if value is None:
            return []
        if isinstance(value, (tuple, list)):
            if depth == MAX_DEPTH:
                raise BadOutput("outputs nested too deeply")
            return [leaf for item in value
                    for leaf in self.leaves(item, depth + 1)]
        return [value]

    def scalar(self, value):
        """A Python or numpy number as dtype and shape, or None."""
        if hasattr(value, "dtype") and getattr(value, "shape", None) == () \
                and type(value).__module__ == "numpy":
            name = Numpy.NAMES
            names = {v: k for k, v in name.items()}
            return names.get(str(value.dtype))
        return {bool: "b8", int: "i64", float: "f64",
                complex: "c128"}.get(type(value))

    def foreign(self, value):
        """An array of numpy where tensors of torch are expected."""
        return (isinstance(self.arrays, Torch) and self.device == "cpu" and
                type(value).__module__ == "numpy" and
                type(value).__name__ == "ndarray")

    def output(self, value, alias):
        if not self.arrays.is_tensor(value) and self.foreign(value):
            value = self.arrays.torch.from_numpy(value.copy())
        if self.arrays.is_tensor(value):
            dtype, shape, address, plain = self.arrays.look(value)
            if alias >= 0 and self.arrays.same_place(value, self.args[alias]):
                return alias, dtype, shape, None, 0, False
            return -1, dtype, shape, value, address, plain
        dtype = self.scalar(value)
        if dtype is None:
            raise BadOutput("an output of type %s.%s, expected a tensor" %
                            (type(value).__module__, type(value).__name__))
        return -1, dtype, (), value, 0, False

    def written(self):
        """Arguments that the reference wrote, by index."""
        differ = self.arrays.differ([(self.args[i], kept) for i, kept
                                     in self.before.items()])
        return [i for i, other in zip(self.before, differ) if other]

    def outputs(self, result):
        """(alias, dtype, shape, value, address, plain, exact) of each output,
        in order.

        Arguments written in place are outputs too: where they were returned,
        else behind the others.
        """
        if self.reference:
            return self.expected(result)
        if self.tuners:
            self.note = self.tuned()
        wanted = self.aliases
        if not wanted and self.arrays.is_tensor(result):
            dtype, shape, address, plain = self.arrays.look(result)
            return (-1, dtype, shape, result, address, plain, None),
        made = [self.output(v, wanted[i] if i < len(wanted) else -1) + (None,)
                for i, v in enumerate(self.leaves(result))]
        return tuple(made + [self.in_place(a, None)
                             for a in wanted[len(made):] if a >= 0])

    def tuned(self):
        """What was chosen in calls so far, of which the first is untimed."""
        chosen = [(k, getattr(t, "best_config", None))
                  for k, t in self.tuners.items()]
        return "; ".join("%s runs with %s" % (k, first_line(c))
                         for k, c in chosen if c is not None)

    @staticmethod
    def in_place(argument, exact):
        return argument, "", (), None, 0, False, exact

    def expected(self, result):
        """outputs() of a reference, in float64 too where that can be."""
        exact, of_args = (), ()
        if type(result).__name__ == "WithExact":
            exact, result = self.leaves(result.exact), result.value
        written, made = self.written(), []
        for value in self.leaves(result):
            alias = next((i for i in written if self.arrays.is_tensor(value)
                          and self.arrays.same_place(value, self.args[i])), -1)
            made.append(self.output(value, alias))
        returned = {m[0] for m in made}
        made += [self.in_place(i, None)[:-1] for i in written
                 if i not in returned]
        if self.wide:
            exact = self.again_in_float64(result, made)
        if len(exact) < len(made):  # an oracle's own: of what it returned
            exact = list(exact) + [None] * (len(made) - len(exact))
        return tuple(m + (self.exact(m, e),) for m, e in zip(made, exact))

    def again_in_float64(self, result, made):
        """What the reference makes of wider arguments, for each output; nothing
        where that is not the same function.
        """
        values = self.leaves(result)
        args, positional, keywords = self.wide
        self.wide = None
        state = self.arrays.keep_random()
        try:
            exact = self.leaves(self.entry(*positional, **keywords))
            if len(exact) != len(values):
                raise BadOutput("%d outputs in float64, not %d" %
                                (len(exact), len(values)))
            exact += [args[m[0]] for m in made[len(values):]]
            values += [self.args[m[0]] for m in made[len(values):]]
            odd = [i for i, (value, wide) in enumerate(zip(values, exact))
                   if not self.is_same(value, wide)]
            if odd and not self.rounding_explains(values, exact, odd, made):
                raise BadOutput("other values in float64")
        except Exception as e:
            self.note = self.own_precision(
                e if not isinstance(e, BadOutput) else str(e))
            exact = ()
        self.arrays.put_random(state)
        return exact

    def is_same(self, value, wide):
        """Is its own result right by its float64?  Else that may be another
        function's.
        """
        if not self.arrays.is_tensor(value):
            return True
        dtype = self.arrays.look(value)[0]
        if dtype not in TOLERANCES:
            return True
        if not self.arrays.is_tensor(wide) or \
                tuple(wide.shape) != tuple(value.shape):
            raise BadOutput("another shape in float64")
        return self.arrays.agrees(value, wide, *TOLERANCES[dtype])

    def rounding_explains(self, values, exact, odd, made):
        """Are the differences of these outputs such as rounding makes them?
        That is seen by what float64 makes of perturbed arguments.
        """
        total = [0] * len(values)
        for run in range(PERTURBED_RUNS):
            args, positional, keywords = self.perturbed(1000 * run + 1)
            leaves = self.leaves(self.entry(*positional, **keywords))
            leaves += [args[m[0]] for m in made[len(leaves):]]
            for i in odd:
                total[i] = total[i] + (leaves[i] - exact[i])**2
        return all(self.is_explained(values[i], exact[i],
                                     total[i] / PERTURBED_RUNS) for i in odd)

    def is_explained(self, value, exact, spread_sq):
        dtype = self.arrays.look(value)[0]
        tensors = [t for t in self.tensors(self.args)
                   if self.arrays.is_narrow(t)]
        longest = max([n for t in tensors for n in t.shape] + [1])
        coarsest = max(ROUNDOFFS.get(self.arrays.look(t)[0], 2.0**-24)
                       for t in tensors)
        rtol, atol = TOLERANCES[dtype]
        size = abs(exact)
        spread_sq = spread_sq + spread_sq.mean() / 4
        allowed = atol + rtol * size + LARGEST * longest**0.5 * \
            ROUNDOFFS[dtype] / coarsest * \
            (spread_sq + (coarsest * size)**2)**0.5
        return bool((abs(self.arrays.widen(value) - exact) <= allowed).all())

    def exact(self, made, value):
        """The same output in float64, if that says more."""
        dtype, shape = made[1:3]
        if made[0] >= 0:
            dtype, shape = self.arrays.look(self.args[made[0]])[:2]
        if dtype in TOLERANCES and self.arrays.is_tensor(value) and \
                tuple(value.shape) == tuple(shape):
            return value
        return None

    def copy(self, slot, value):
        if self.arrays.is_tensor(value):
            self.arrays.copy(slot, value)
        else:
            slot[...] = value

    # --- exceptions ---

    def place(self, exception, trace):
        """ (file.py:12, in f), of the innermost frame that is the op's."""
        if isinstance(exception, SyntaxError) and exception.filename:
            return " (%s:%s)" % (os.path.basename(exception.filename),
                                 exception.lineno)
        own = [f for f in traceback.extract_tb(trace)
               if f.filename not in (__file__,) and
               not f.filename.startswith("<frozen")]
        folder = os.path.dirname(self.path)
        mine = [f for f in own if os.path.dirname(f.filename) == folder]
        frame = (mine or own or [None])[-1]
        return " (%s:%s, in %s)" % (os.path.basename(frame.filename),
                                    frame.lineno, frame.name) if frame else ""

    def explain(self, exception, trace):
        if isinstance(exception, SystemExit):
            code = exception.code
            code = 0 if code is None else code
            sys.stdout.flush()
            os._exit(code & 255 if isinstance(code, int) else 1)
        if isinstance(exception, (BadOutput, opsweep_cases.BadCase)):
            return ERROR, str(exception)
        said = getattr(exception, "msg", None) or exception
        words = "%s: %s%s" % (type(exception).__name__, first_line(said),
                              self.place(exception, trace))
        # Older torch says so of dtypes in a RuntimeError.
        if isinstance(exception, NotImplementedError) or \
                re.match(r'"\w+" not implemented for \'', str(exception)):
            return UNSUPPORTED, words
        linecache.checkcache()
        text = "".join(traceback.format_exception(type(exception), exception,
                                                  trace))
        if len(text) > MAX_TRACEBACK:
            text = "[...]\n" + text[-MAX_TRACEBACK:]
        sys.stderr.write(text)
        if isinstance(exception, MemoryError) or \
                type(exception).__name__ == "OutOfMemoryError":
            return NO_MEMORY, words
        return ERROR, words


# --- what libraries compile ---


def version_of(name):
    try:
        return name + importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return name


# What libraries compile while ops run: variable, whose, folder of the cache.
# isolate.c lets sandboxes write where these say.
CACHES = (("TRITON_CACHE_DIR", "triton", "triton"),
          ("TORCHINDUCTOR_CACHE_DIR", "torch", "inductor"),
          ("TORCH_EXTENSIONS_DIR", "torch", "extensions"),
          ("PYTORCH_KERNEL_CACHE_PATH", "torch", "kernels"),
          ("NUMBA_CACHE_DIR", "numba", "numba"),
          ("CUPY_CACHE_DIR", "cupy", "cupy"),
          ("FLAGGEMS_CACHE_DIR", "flag_gems", "flag_gems"))


def share_caches():
    """What is compiled is kept in the build cache, for all sandboxes of this
    node and of these versions; the variables overrule it.
    """
    base = os.environ.get("OPSWEEP_CACHE")
    if not base:
        base = os.environ.get("XDG_CACHE_HOME") or \
            os.path.join(os.path.expanduser("~"), ".cache")
        base = os.path.join(base, "opsweep")
    present = {whose: importable(whose) for _, whose, _ in CACHES}
    for variable, whose, folder in CACHES:
        if not present[whose]:
            continue
        versions = ["python%d.%d" % sys.version_info[:2], version_of("torch"),
                    version_of("triton" if whose == "torch" else whose)]
        path = os.environ.get(variable) or os.path.join(
            base, folder, socket.gethostname(), "-".join(versions))
        try:
            os.makedirs(path, 0o700, exist_ok=True)
        except OSError:
            continue  # isolate() has another
        os.environ[variable] = path


def autotuners(namespace):
    """Triton's autotuners among a file's globals, by the name of what they
    tune; decorators may lie around them.
    """
    found = {}
    for name, value in namespace.items():
        for _ in range(8):
            if type(value).__name__ == "Autotuner":
                found[name] = value
            value = getattr(value, "fn", None)
            if value is None:
                break
    return found


def tell_of_compiling():
    """Tell the judge whenever Triton has compiled a kernel, so that it waits
    longer for the call that does.  A hook that is there already stays.
    """
    runtime = getattr(getattr(sys.modules["triton"], "knobs", None), "runtime",
                      None)
    before = getattr(runtime, "jit_post_compile_hook", None)

    def hook(*args, **kwargs):
        try:
            os.write(SOCKET, PROGRESS)
        except OSError:
            pass
        return before(*args, **kwargs) if before else None

    if hasattr(runtime, "jit_post_compile_hook"):
        runtime.jit_post_compile_hook = hook


# --- the zygote ---

PR_SET_PDEATHSIG = 1
SIGKILL = 9


def become_sandbox(judge, sock, out):
    """In the new process: what opsweep-sandbox does for others."""
    os.setpgid(0, 0)
    for _ in range(10000):  # until whoever forked us is gone
        if os.getppid() == judge:
            break
        time.sleep(0.0001)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if os.getppid() != judge:
        os._exit(1)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(sock, SOCKET)
    os.closerange(SOCKET + 1, 256)
    os.write(SOCKET, os.getpid().to_bytes(4, sys.byteorder))
    tempfile.tempdir = None  # another's


def fork_sandboxes(judge):
    """With what takes long imported: a process for each message.  Returns the
    device's kind in each new one, in its folder, and never in the zygote
    itself.
    """
    warnings.simplefilter("ignore", DeprecationWarning)
    for name in ("torch", "numpy"):
        if importable(name):
            importlib.import_module(name)
            break
    gc.collect()
    gc.freeze()
    talk = socket.socket(fileno=os.dup(SOCKET))
    talk.send(READY)
    while True:
        data, fds, _, _ = socket.recv_fds(talk, 256, 2)
        if not data:
            os._exit(0)
        child = os.fork()
        if child == 0:
            if os.fork():
                os._exit(0)
            device, folder = data[2:-1].decode().split("\n")
            os.chdir(folder)
            become_sandbox(judge, fds[0], fds[1])
            talk.detach()
            return device
        os.waitpid(child, 0)
        for fd in fds:
            os.close(fd)


def isolate(library, device):
    """Before anything of the op is loaded; see isolate.h."""
    library.osw_python_isolate(device.encode())
    os.environ["TMPDIR"] = os.getcwd()
    for variable, _, folder in CACHES:
        os.environ.setdefault(variable, os.path.join(os.getcwd(), folder))
    opsweep_locks.take_over()


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    device = sys.argv[1]
    if sys.path and os.path.abspath(sys.path[0] or ".") == here:
        del sys.path[0]  # what is needed of it is imported
    share_caches()
    library = ctypes.PyDLL(
        os.path.join(os.path.dirname(here), "libopsweep_sandbox.so"))
    if sys.argv[2:] == ["zygote"]:
        library.osw_python_close()
        device = fork_sandboxes(os.getppid())
    isolate(library, device)
    library.osw_python_loop.argtypes = [ctypes.py_object, ctypes.py_object,
                                        ctypes.c_char_p]
    code = library.osw_python_loop(Host(device), None, device.encode())
    os._exit(code)


if __name__ == "__main__":
    main()
