# expressions.py - functions of the expressions in op.json ("outputs")
#
# They work for symbolic sizes, too.
import functools

import torch

_dtypes = {
    "f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
    "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
    "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "b8": torch.bool,
    "c64": torch.complex64, "c128": torch.complex128,
}


def _shape(x):
    return list(x.shape)


def _ndim(x):
    return x.dim()


def _ints(v):
    return None if v is None else list(v) if isinstance(v, (list, tuple)) else [v]


def _max(*v):
    return max(v)


def _min(*v):
    return min(v)


def _len(v):
    return len(v)


def _prod(v):
    n = 1
    for size in v:
        n = n * size
    return n


def _broadcast(*shapes):
    out = []
    for d in range(max(len(s) for s in shapes), 0, -1):
        size = 1
        for s in shapes:
            other = s[-d] if d <= len(s) else 1
            if size == 1:
                size = other
            elif other != 1 and other != size:
                raise RuntimeError(f"cannot broadcast {size} and {other}")
        out.append(size)
    return out


def _reduced(shape, dims, keep):
    if isinstance(dims, int):
        dims = [dims]
    if not dims:
        dims = range(len(shape))
    n = max(len(shape), 1)
    for d in dims:
        if not -n <= d < n:
            raise IndexError(f"dimension {d} of {len(shape)}")
    gone = {d % n for d in dims}
    return [1 if d in gone else size for d, size in enumerate(shape)
            if keep or d not in gone]


def _of_each(sizes, *lists):
    """Rows of a size and the items that belong to it; a list of one item is for all."""
    return zip(sizes, *(v * len(sizes) if len(v) == 1 else v for v in lists))


def _convolved(sizes, kernel, stride, padding, dilation, transposed, more):
    out = []
    for size, k, s, p, d, m in _of_each(sizes, kernel, stride, padding, dilation, more):
        reach = d * (k - 1) + 1
        out.append((size - 1) * s - 2 * p + reach + m if transposed
                   else (size + 2 * p - reach) // s + 1)
    return out


def _pooled(sizes, kernel, stride, padding, dilation, ceil):
    out = []
    for size, k, s, p, d in _of_each(sizes, kernel, stride or kernel, padding, dilation):
        n = (size + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil else 0)) // s + 1
        out.append(n - 1 if ceil and (n - 1) * s >= size + p else n)
    return out


def _padded(sizes, pads):
    out = list(sizes)
    for d in range(len(pads) // 2):
        out[-1 - d] = out[-1 - d] + pads[2 * d] + pads[2 * d + 1]
    return out


def _tiled(sizes, repeats):
    n = max(len(sizes), len(repeats))
    return [a * b for a, b in zip([1] * (n - len(sizes)) + list(sizes),
                                  [1] * (n - len(repeats)) + list(repeats))]


def _resized(sizes, to, factors):
    if to is not None:
        return list(to)
    return [torch.sym_int(size * f) if hasattr(torch, "sym_int") else int(size * f)
            for size, f in zip(sizes, factors)]


def _concatenated(tensors, dim):
    shapes = [list(t.shape) for t in tensors]
    shapes = [s for s in shapes if len(s) != 1 or s[0] != 0] or [[0]]
    out = shapes[0]
    out[dim] = sum((s[dim] for s in shapes[1:]), out[dim])
    return out


def _summed(dtype):
    return dtype if dtype.is_floating_point or dtype.is_complex else torch.int64


def _widened(dtype):
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def _floating(dtype):
    return dtype if dtype.is_floating_point or dtype.is_complex else torch.float32


def _logical(dtype):
    return dtype if dtype == torch.uint8 else torch.bool


def _category(dtype):
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else int(dtype != torch.bool)


def _promoted(*values):
    """The dtype of arithmetic on tensors, lists of them and numbers; a None takes no part.

    Tensors without dimensions, then numbers, count only where they are of a higher category.
    """
    ranks = [], [], []
    for v in [v for value in values for v in (value if isinstance(value, (list, tuple))
                                              else [value])]:
        if isinstance(v, torch.Tensor):
            ranks[v.dim() == 0].append(v.dtype)
        elif v is not None:
            ranks[2].append(torch.bool if isinstance(v, bool) else torch.int64 if isinstance(v, int)
                            else torch.float32)
    best, *weaker = (functools.reduce(torch.promote_types, r) for r in ranks if r)
    for dtype in weaker:
        if _category(dtype) > _category(best):
            best = torch.promote_types(best, dtype)
    return best
