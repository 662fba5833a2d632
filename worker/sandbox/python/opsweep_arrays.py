# opsweep_arrays.py - what tensors of a case are to the op's code
#
# Upstream: opsweep_host.py and opsweep_cases.py.
import ctypes

PLAIN_NUMEL = 1 << 18  # larger outputs are copied by the library's own threads
ALIGNED = 256  # bytes, of the memory in which a tensor begins


class BadOutput(Exception):
    """What came back is nothing that can be judged."""


def offset_of(n_bytes, size):
    """How a tensor so far into its memory is aligned, in elements."""
    return n_bytes % ALIGNED // size


def tensors_of(value, is_tensor):
    """Those in it, however deep, in the order of the notation."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in tensors_of(v, is_tensor)]
    return [value] if is_tensor(value) else []


class Arrays:
    """What both have: `dtypes` by our names, `names` by theirs, `types` of
    tensors.
    """

    NAMES = {"f64": "float64", "f32": "float32", "f16": "float16",
             "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
             "u8": "uint8", "b8": "bool", "c64": "complex64",
             "c128": "complex128"}

    def take_dtypes(self, make):
        self.dtypes = {k: make(v) for k, v in self.NAMES.items()}
        self.names = {v: k for k, v in self.dtypes.items()}

    def is_tensor(self, value):
        return type(value) in self.types

    def tensors(self, value):
        """Those of an argument, however deep."""
        return tensors_of(value, self.is_tensor)

    def name_of(self, value, what):
        if value.dtype not in self.names:
            raise BadOutput("%s of dtype %s" % (what, value.dtype))
        return self.names[value.dtype]

    def if_as_finite(self, values, wide, which):
        """`wide`; () where one of these has other infinities or NaN than is in
        `values`, as stored there: that is another function's.
        """
        return wide if all(self.is_as_finite(values[i], wide[i])
                           for i in which) else ()

    def differ(self, pairs):
        """Which of them are not the same, to the bit."""
        return [not self.same(*p) for p in pairs]


class Numpy(Arrays):
    """Arrays of numpy, on the host only."""

    def __init__(self, device):
        import numpy
        self.numpy = numpy
        self.device = device
        self.take_dtypes(numpy.dtype)
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
        if self.device != "cpu":
            raise NotImplementedError(
                "numpy has no arrays on a GPU: this file needs --device cpu, "
                "or torch")
        self.seed(seed)

    def keep_random(self):
        return self.numpy.random.get_state()

    def put_random(self, state):
        self.numpy.random.set_state(state)

    def look(self, value):
        """dtype's name, shape, address, and whether its bytes lie there in
        order.
        """
        return self.name_of(value, "an output"), value.shape, \
            value.__array_interface__["data"][0], \
            value.flags.c_contiguous and value.size <= PLAIN_NUMEL

    def same_place(self, a, b):
        return (a.dtype == b.dtype and a.shape == b.shape and
                a.strides == b.strides and a.ctypes.data == b.ctypes.data)

    def keep(self, value):
        return value.copy()

    def same(self, value, kept):
        return value.tobytes() == kept.tobytes()

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

    def as_form(self, value, shape, strides):
        return self.numpy.lib.stride_tricks.as_strided(value, shape, strides)

    def has_left(self, form):
        value, shape, strides = form
        return value.shape != shape or value.strides != strides

    def put_back(self, form):
        if self.has_left(form):
            form[0].shape, form[0].strides = form[1:]

    def be_exact(self):
        """No quicker arithmetic than a dtype's own."""

    def is_narrow(self, value):
        return value.dtype.name in ("float16", "float32", "complex64")

    def agrees(self, value, exact, rtol, atol):
        with self.numpy.errstate(all="ignore"):
            return self.numpy.allclose(
                value.astype(self.numpy.float64), exact.astype(value.dtype),
                rtol, atol, equal_nan=True)

    def rounded_complex(self, value, wide):
        """`wide` as `value` is stored; None where it is another result, or
        the same: `value` may be a part of an argument.
        """
        if wide.dtype.name != "complex128" or wide.shape != value.shape:
            return None
        with self.numpy.errstate(all="ignore"):
            rounded = wide.astype(value.dtype)
            off = abs(rounded - value).max(initial=0)
            near = 0 < off <= 1e-3 * abs(rounded).max(initial=0)
        return rounded if near else None

    def is_as_finite(self, value, wide):
        finite = self.numpy.isfinite
        with self.numpy.errstate(all="ignore"):
            return self.numpy.array_equal(finite(value),
                                          finite(wide.astype(value.dtype)))

    def rounds_to(self, wide, value):
        """Is `value` what is stored of the complex numbers `wide`?"""
        return wide.dtype.name == "complex128" and \
            self.is_tensor(value) and value.dtype.name == "complex64" and \
            self.numpy.array_equal(wide.astype(value.dtype), value)

    def layout(self, value):
        """Shape, strides in elements (None: contiguous), offset, dtype's name."""
        dtype, shape = self.name_of(value, "a tensor"), value.shape
        size, owner, before = value.itemsize, value.base, 0
        odd = any(s < 0 or s % size for s in value.strides)
        plain = value.flags.c_contiguous or odd
        if isinstance(owner, self.numpy.ndarray) and not odd and value.size:
            before = value.ctypes.data - owner.ctypes.data
        return shape, None if plain else [s // size for s in value.strides], \
            offset_of(before, size), dtype

    def notation(self, value):
        if isinstance(value, self.numpy.generic):
            return repr(value.item())
        if isinstance(value, (self.numpy.dtype, type)):
            try:
                return self.names.get(self.numpy.dtype(value))
            except TypeError:
                return None
        return None


class Torch(Arrays):
    """Tensors of torch, on any device."""

    NAMES = dict(Arrays.NAMES, bf16="bfloat16")

    def __init__(self, device):
        import torch
        import torch.utils.dlpack
        self.torch = torch
        self.from_dlpack = getattr(torch._C, "_from_dlpack",
                                   torch.utils.dlpack.from_dlpack)
        self.take_dtypes(lambda name: getattr(torch, name))
        self.device = device
        # Of the type that code cannot change; a tensor's own attributes do not
        # count.
        base = torch.Tensor.__mro__[1]
        read = {name: getattr(base, name).__get__ for name in
                ("layout", "dtype", "shape", "device", "is_" + device)}
        self.layout_of, self.dtype_of, self.shape_of, self.device_of, \
            self.is_here = read.values()
        self.address_of, self.strides_of = base.data_ptr, base.stride
        self.is_dense = base.is_contiguous
        self.is_neg, self.is_conj, self.numel = \
            base.is_neg, base.is_conj, base.numel
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
        if name == "device" or text.startswith("torch.device("):
            return self.device
        if text.startswith("torch."):
            return getattr(self.torch, text[6:], text)
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

    def look(self, value):
        """As Numpy.look."""
        if self.layout_of(value) is not self.strided:
            raise BadOutput("an output of layout %s" % self.layout_of(value))
        if not self.is_here(value):
            raise BadOutput("an output on %s, expected %s" %
                            (self.device_of(value), self.device))
        dtype = self.dtype_of(value)
        if dtype not in self.names:
            raise BadOutput("an output of dtype %s" % dtype)
        dtype = self.names[dtype]
        # Negated and conjugated views hold other bytes than they say.
        plain = self.is_dense(value) and not self.is_neg(value) and \
            (dtype[0] != "c" or not self.is_conj(value)) and \
            self.numel(value) <= PLAIN_NUMEL
        return dtype, self.shape_of(value), self.address_of(value), plain

    def same_place(self, a, b):
        return (a.dtype == b.dtype and a.shape == b.shape and
                self.strides_of(a) == self.strides_of(b) and
                self.address_of(a) == self.address_of(b))

    def keep(self, value):
        return value.detach().clone()

    def same(self, value, kept):
        return self.torch.equal(value, kept) or \
            self.bits(value) == self.bits(kept)

    def differ(self, pairs):
        """Which of them are not the same; a GPU is waited for once."""
        if self.device == "cpu" or len(pairs) < 2 or \
                not all(self.has_bits(v) and v.shape == kept.shape
                        for v, kept in pairs):
            return super().differ(pairs)
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
        flat = flat.resolve_conj().resolve_neg()
        if flat.is_complex():
            flat = self.torch.view_as_real(flat).reshape(-1)
        return flat.view(self.torch.uint8).numpy().tobytes()

    def copy(self, slot, value):
        """Elements that share a place (expand) are copied once."""
        if 0 in slot.stride() and slot.shape == value.shape:
            for d, step in enumerate(slot.stride()):
                if step == 0 and slot.shape[d] > 1:
                    slot, value = slot.narrow(d, 0, 1), value.narrow(d, 0, 1)
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

    def as_form(self, value, shape, strides):
        return value.detach().as_strided(shape, strides, 0)

    def has_left(self, form):
        value, shape, strides = form
        return value.shape != shape or value.stride() != strides

    def put_back(self, form):
        if self.has_left(form):
            form[0].as_strided_(*form[1:], 0)

    def be_exact(self):
        """As Numpy.be_exact: no TF32, which is torch's default for cuDNN."""
        if self.device == "cuda":
            backends = self.torch.backends
            backends.cudnn.allow_tf32 = False
            backends.cuda.matmul.allow_tf32 = False

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

    def rounded_complex(self, value, wide):
        """As Numpy.rounded_complex."""
        if wide.dtype is not self.torch.complex128 or \
                wide.shape != value.shape:
            return None
        if value.numel() == 0:
            return None
        rounded = wide.detach().to(value.dtype)
        off = (rounded - value.detach()).abs().max()
        return rounded if 0 < off <= 1e-3 * rounded.abs().max() else None

    def is_as_finite(self, value, wide):
        return self.torch.equal(self.torch.isfinite(value.detach()),
                                self.torch.isfinite(
                                    wide.detach().to(value.dtype)))

    def rounds_to(self, wide, value):
        """As Numpy.rounds_to."""
        return wide.dtype is self.torch.complex128 and \
            self.is_tensor(value) and \
            value.dtype is self.torch.complex64 and \
            self.torch.equal(wide.detach().to(value.dtype), value.detach())

    def take(self, slot, value):
        self.copy(slot, value if self.is_tensor(value) else
                  self.of_numpy(value))

    def of_numpy(self, value):
        """The same memory, where a tensor can have it."""
        if all(s >= 0 for s in value.strides) and value.flags.writeable:
            return self.torch.from_numpy(value)
        return self.torch.from_numpy(value.copy())

    def layout(self, value):
        """Shape, strides in elements (None: contiguous), offset, dtype's name."""
        if value.layout is not self.torch.strided:
            raise BadOutput("a tensor of layout %s" % value.layout)
        size = value.element_size()
        return tuple(value.shape), \
            None if value.is_contiguous() else value.stride(), \
            offset_of(value.storage_offset() * size, size), \
            self.name_of(value, "a tensor")

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
