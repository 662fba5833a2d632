"""Calls the library's implementations with given values: test_library_values.sh.

library_values.py FOLDER: every FOLDER/<op>_<implementation>.so is called with the
cases of its op, below.
"""
import ctypes
import glob
import math
import os
import struct
import sys

INF, NAN = math.inf, math.nan
INT, FLOAT, BFLOAT, BOOL = 0, 2, 4, 6
DTYPES = {
    "b8": (BOOL, 8, "?"), "i8": (INT, 8, "b"), "i32": (INT, 32, "i"),
    "i64": (INT, 64, "q"), "u8": (1, 8, "B"), "f32": (FLOAT, 32, "f"),
    "f64": (FLOAT, 64, "d"), "f16": (FLOAT, 16, "e"),
}
UNSUPPORTED = 1


class Dtype(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2),
                ("ndim", ctypes.c_int32), ("dtype", Dtype),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Value(ctypes.Union):
    _fields_ = [("i", ctypes.c_int64), ("f", ctypes.c_double), ("dtype", Dtype),
                ("at", ctypes.c_void_p)]  # a tensor, a text, or the items of a list


class Arg(ctypes.Structure):
    _fields_ = [("tag", ctypes.c_uint32), ("n", ctypes.c_uint32),
                ("name", ctypes.c_char_p), ("u", Value)]


P = ctypes.c_void_p
OUTPUT = ctypes.CFUNCTYPE(P, P, ctypes.c_int, Dtype, ctypes.c_int32,
                          ctypes.POINTER(ctypes.c_int64), P)
ALIAS = ctypes.CFUNCTYPE(P, P, ctypes.c_int, ctypes.c_int)
DOUBLES = ctypes.CFUNCTYPE(P, P, ctypes.c_int)
ROOM = ctypes.CFUNCTYPE(P, P, ctypes.c_size_t)
ERROR = ctypes.CFUNCTYPE(ctypes.c_int, P, ctypes.c_char_p)


class Call(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("abi_version", ctypes.c_uint32),
                ("n_args", ctypes.c_uint32), ("n_threads", ctypes.c_uint32),
                ("args", ctypes.POINTER(Arg)), ("stream", P), ("communicator", P),
                ("state", P), ("seed", ctypes.c_uint64), ("runner", P),
                ("output", OUTPUT), ("alias", ALIAS), ("exact", DOUBLES),
                ("norm", DOUBLES), ("workspace", ROOM), ("error", ERROR)]


class T:
    """A contiguous tensor: T("f32", [2, 3], values); one value stands for all."""

    def __init__(self, dtype, shape, values):
        code, bits, self.letter = DTYPES[dtype]
        self.n = math.prod(shape)
        if not isinstance(values, list):
            values = [values] * self.n
        self.dtype, self.sizes = dtype, list(shape)
        packed = struct.pack("%d%s" % (self.n, self.letter), *values)
        self.memory = ctypes.create_string_buffer(packed, len(packed) + 64)
        shape = shape or [1]
        strides = [math.prod(shape[d + 1:]) for d in range(len(shape))]
        dims = (ctypes.c_int64 * len(shape))(*shape)
        steps = (ctypes.c_int64 * len(shape))(*strides)
        self.kept = dims, steps
        self.c = Tensor(ctypes.addressof(self.memory), (ctypes.c_int32 * 2)(1, 0),
                        len(self.sizes), Dtype(code, bits, 1), dims, steps, 0)

    def values(self):
        return list(struct.unpack_from("%d%s" % (self.n, self.letter), self.memory))

    def copy(self):
        return T(self.dtype, self.sizes, self.values())


class D(str):
    """A dtype as an argument."""


def argument(v, kept):
    a = Arg(0, 0, b"", Value())
    if isinstance(v, T):
        a.tag, a.u.at = 7, ctypes.addressof(v.c)
    elif isinstance(v, bool):
        a.tag, a.u.i = 1, v
    elif isinstance(v, int):
        a.tag, a.u.i = 2, v
    elif isinstance(v, float):
        a.tag, a.u.f = 3, v
    elif isinstance(v, D):
        a.tag, a.u.dtype = 5, Dtype(*DTYPES[v][:2], 1)
    elif isinstance(v, str):
        text = ctypes.create_string_buffer(v.encode())
        kept.append(text)
        a.tag, a.n, a.u.at = 4, len(v), ctypes.addressof(text)
    elif isinstance(v, (list, tuple)):
        items = (Arg * (len(v) or 1))(*[argument(item, kept) for item in v])
        kept.append(items)
        a.tag, a.n, a.u.at = 8, len(v), ctypes.addressof(items)
    return a


def run(path, symbol, args):
    """The first output's values; (code, message) where the call does not return 0."""
    args = [a.copy() if isinstance(a, T) else a for a in args]
    kept, outputs, exact, said = [], {}, {}, []

    def output(_, i, dtype, ndim, shape, _strides):
        name = next(k for k, d in DTYPES.items() if d[:2] == (dtype.code, dtype.bits))
        outputs[i] = T(name, [shape[d] for d in range(ndim)], 0)
        return ctypes.addressof(outputs[i].c)

    def alias(_, i, arg):
        outputs[i] = args[arg]
        return ctypes.addressof(outputs[i].c)

    def doubles(_, i):
        exact[i] = (ctypes.c_double * (outputs[i].n + 1))()
        return ctypes.addressof(exact[i])

    def room(_, n):
        memory = ctypes.create_string_buffer(n + 512)
        kept.append(memory)
        return (ctypes.addressof(memory) + 255) // 256 * 256

    def error(_, text):
        said.append(text.decode())
        return 2

    items = (Arg * len(args))(*[argument(a, kept) for a in args])
    call = Call(ctypes.sizeof(Call), 1, len(args), 2, items, None, None, None, 1, None,
                OUTPUT(output), ALIAS(alias), DOUBLES(doubles), DOUBLES(lambda _, i: None),
                ROOM(room), ERROR(error))
    rc = getattr(ctypes.CDLL(path), symbol)(ctypes.byref(call))
    if rc:
        return rc, said
    return list(exact[0])[:-1] if 0 in exact else outputs[0].values()


def same(got, want, rtol):
    if isinstance(want, float) and isinstance(got, float):
        if math.isnan(want) or math.isnan(got):
            return math.isnan(want) and math.isnan(got)
        if want == 0.0 or math.isinf(want):
            return got == want and math.copysign(1, got) == math.copysign(1, want)
        return abs(got - want) <= rtol * abs(want)
    return got == want


def main(folder):
    from library_cases import CASES  # beside this file

    failed = called = 0
    for op, args, want, *rest in CASES:
        rtol = rest[0] if rest else 1e-6
        paths = sorted(p for p in glob.glob("%s/%s/*.so" % (folder, op)))
        assert paths, "no implementation of " + op
        for path in paths:
            name = os.path.basename(path)[len(op) + 1:-len(".so")]
            symbol = op + ("_reference" if name == "reference" else "_kernel_impl")
            got = run(path, symbol, args)
            refused = isinstance(got, tuple) and got[0] == UNSUPPORTED
            if refused and want is not None:
                print("unsupported:", op, name)
                continue
            called += 1
            if want is None and refused:
                continue
            if want is None or isinstance(got, tuple) or len(got) != len(want) or not all(
                    same(g, w, rtol) for g, w in zip(got, want)):
                failed += 1
                print("%s %s %s: got %s, expected %s" % (
                    op, name, [a.dtype if isinstance(a, T) else a for a in args],
                    str(got)[:300], str(want)[:300]))
    print(called, "calls,", failed, "wrong")
    return failed != 0


if __name__ == "__main__":
    sys.modules["library_values"] = sys.modules["__main__"]
    sys.exit(main(sys.argv[1]))
