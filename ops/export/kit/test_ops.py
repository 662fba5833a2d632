# test_ops.py - does this package compute what was expected when it was exported?
#
#   python3 tests/test_ops.py [NAME...]     --time: overhead of a call
#
# Values, `.out` variants, shapes of fakes, CUDA graphs; with torch 2.4 or newer opcheck,
# the number of graphs under dynamic=True, and torch.export.  Exit code 1 when anything is wrong.
import json
import math
import os
import re
import sys
import time
import warnings

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
with open(os.path.join(here, "cases.json")) as f:
    CASES = json.load(f)

import torch  # noqa: E402

package = __import__(CASES["namespace"])
runtime, table = package._runtime, package._table
counts = {"ok": 0, "FAILED": 0, "skipped": 0}


def tell(state, op, what, words=""):
    counts[state] += 1
    if state != "ok":
        print(f"{state:7} {op.name} {what}: {words}".rstrip(": "), flush=True)


def placed(memory, shape, strides, before, device="cpu"):
    """A copy that begins `before` elements after the start of its memory."""
    room = torch.zeros(before + memory.numel(), dtype=memory.dtype, device=device)
    room[before:].copy_(memory)
    return room.as_strided(shape, strides, before)


def tensor(t, data):
    dtype = runtime._dtypes[t["dtype"]]
    if t["bytes"] == 0:
        return torch.empty_strided(t["shape"], t["strides"], dtype=dtype)
    memory = torch.frombuffer(bytearray(data[t["offset"]:t["offset"] + t["bytes"]]), dtype=dtype)
    return placed(memory, t["shape"], t["strides"], t.get("before", 0))


def value(v, data):
    if isinstance(v, list):
        return [value(i, data) for i in v]
    if isinstance(v, dict):
        if "tensor" in v:
            return tensor(v["tensor"], data)
        return runtime._dtypes[v["dtype"]] if "dtype" in v else float(v["float"])
    return v


def flat(t):
    """Its memory as one row, with its gaps."""
    reach = sum((n - 1) * step for n, step in zip(t.shape, t.stride()))
    return t.as_strided((reach + 1 if t.numel() else 0,), (1,))


def move(v, device):
    if isinstance(v, torch.Tensor):
        return placed(flat(v), v.shape, v.stride(), v.storage_offset(), device)
    return [move(i, device) for i in v] if isinstance(v, list) else v


def arguments(case, data, device):
    return [move(value(v, data), device) for v in case["args"]]


def listed(got):
    return got if isinstance(got, (tuple, list)) else [] if got is None else [got]


def results(op, a, got):
    """What a call made: its returns, then arguments that it writes and does not return."""
    return [*listed(got), *(a[i] for i in op.aliases(a)[len(op.returns):])]


def split(op, a):
    """Positional arguments and keywords, as the schema has them."""
    args = [v for v, (_, only, _) in zip(a, op.args) if not only]
    return tuple(args), {arg[0]: v for v, arg in zip(a, op.args) if arg[1]}


def compare(got, want, t):
    """None, or what is wrong."""
    if got.dtype != runtime._dtypes[t["dtype"]] or list(got.shape) != t["shape"]:
        return f"{got.dtype} {list(got.shape)}, expected {t['dtype']} {t['shape']}"
    got = got.cpu()
    if not (got.dtype.is_floating_point or got.dtype.is_complex):
        near = (got.double() - want.double()).abs() <= t["atol"] + t["rtol"] * want.double().abs()
        good = near if t["atol"] or t["rtol"] else got == want.to(got.dtype)
        return None if bool(good.all()) else "values differ"
    kind = torch.complex128 if got.dtype.is_complex else torch.float64
    rounded = want.to(got.dtype)
    got, want = got.to(kind), want.to(kind)
    close = torch.isclose(got, want, rtol=t["rtol"], atol=t["atol"], equal_nan=True)
    close |= (got == rounded.to(kind))
    if bool(close.all()):
        return None
    worst = (got - want).abs()[~close].max().item()
    return f"{int((~close).sum())} of {close.numel()} values differ, by {worst:.3g} at most"


def run_values(op, call, case, data, device):
    """True when an implementation takes the case."""
    a = arguments(case, data, device)
    args, kwargs = split(op, a)
    try:
        got = call(*args, **kwargs)
    except RuntimeError as e:
        refused = "no implementation takes these arguments" in str(e)
        tell("skipped" if refused else "FAILED", op, case["text"], str(e).splitlines()[0])
        return False
    for g, t, alias in zip(results(op, a, got), case["outputs"], op.aliases(a)):
        wrong = compare(g, tensor(t["values"], data), t)
        if not wrong and alias >= 0 and g.data_ptr() != a[alias].data_ptr():
            wrong = "the result is not the argument itself"
        if not wrong and alias < 0 and not g.is_contiguous():
            wrong = "the result is not contiguous"
        if wrong:
            tell("FAILED", op, case["text"], wrong)
            return True
    tell("ok", op, case["text"])
    if op.fresh and op.returns:
        run_out(op, case, data, a, args, kwargs, listed(got))
    return True


def places(want):
    """Where results may go: contiguous; with strides and an offset."""
    yield "", [torch.full_like(w, 7) for w in want]
    yield " strided", [torch.full([*w.shape, 2], 3, dtype=w.dtype, device=w.device)[..., 1]
                      for w in want]


def run_out(op, case, data, a, args, kwargs, want):
    overload = op.schema.split("(", 1)[0].strip().partition(".")[2]
    for name in "out", "into":
        form = getattr(packet(op), f"{overload}_{name}" if overload else name)
        for how, given in places(want):
            outs = dict(zip(runtime.out_names(op), given))
            got = form(*args, **kwargs, **outs)
            got = given if name == "into" else listed(got)
            what = f"{name}{how} {case['text']}"
            if all(g.data_ptr() == o.data_ptr() and is_same(g, w, tensor(t["values"], data), t)
                   for g, o, w, t in zip(got, given, want, case["outputs"])):
                tell("ok", op, what)
            else:
                tell("FAILED", op, what, "differs from the functional form")


def is_same(got, want, right, t):
    """To the bit, or as near to what was expected: where sums have no fixed order."""
    return torch.equal(bits(got), bits(want)) or not compare(got, right, t)


def bits(t):
    return torch.nan_to_num(t) if t.dtype.is_floating_point else t


def packet(op):
    return getattr(getattr(torch.ops, CASES["namespace"]), op.schema.split("(", 1)[0].split(".")[0].strip())


def form_of(op):
    return getattr(packet(op), op.schema.split("(", 1)[0].strip().partition(".")[2] or "default")


def run_fake(op, case, data):
    """The shapes that a fake says are those that were expected."""
    a = [meta(value(v, data)) for v in case["args"]]
    args, kwargs = split(op, a)
    got = form_of(op)(*args, **kwargs)
    for g, t in zip(results(op, a, got), case["outputs"]):
        if list(g.shape) != t["shape"] or g.dtype != runtime._dtypes[t["dtype"]]:
            return tell("FAILED", op, "fake " + case["text"], f"{g.dtype} {list(g.shape)}")
    tell("ok", op, "fake " + case["text"])


def reverse(v):
    """The same elements the other way round, in place: other values that are as good."""
    if isinstance(v, torch.Tensor) and not any(n > 1 and s == 0 for n, s in zip(v.shape, v.stride())):
        v.copy_(v.flatten().flip(0).reshape(v.shape))
    for i in v if isinstance(v, list) else ():
        reverse(i)


def run_capture(op, case, data):
    """A call becomes a CUDA graph, after one to warm up; it is replayed with other values."""
    call, graph, side = form_of(op), torch.cuda.CUDAGraph(), torch.cuda.Stream()
    a, other = arguments(case, data, "cuda"), arguments(case, data, "cuda")
    reverse(other)
    args, kwargs = split(op, a)
    try:
        with torch.cuda.stream(side):
            call(*args, **kwargs)
        side.synchronize()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of graphs of empty tensors
            with torch.cuda.graph(graph):
                got = listed(call(*args, **kwargs))
        for to, new in zip(runtime._tensors(a), runtime._tensors(other)):
            flat(to).copy_(flat(new))
        for g, alias in zip(got, op.returns):
            if alias < 0:
                g.fill_(1)
        graph.replay()
        other_args, other_kwargs = split(op, other)
        want = listed(call(*other_args, **other_kwargs))
    except RuntimeError as e:
        return tell("FAILED", op, "graph " + case["text"], str(e).splitlines()[0])
    wrong = next(filter(None, (compare(g, w.cpu(), t) for g, w, t in zip(got, want, case["outputs"]))), "")
    tell("FAILED" if wrong else "ok", op, "graph " + case["text"], wrong)


def meta(v):
    if isinstance(v, torch.Tensor):
        return torch.empty_strided(v.shape, v.stride(), dtype=v.dtype, device="meta")
    return [meta(i) for i in v] if isinstance(v, list) else v


def holds_nan(case, data):
    return any(tensor(t["values"], data).isnan().any() for t in case["outputs"])


def run_opcheck(op, case, data, device):
    args, kwargs = split(op, arguments(case, data, device))
    if op.backward:
        args = tuple(v.requires_grad_() if isinstance(v, torch.Tensor) and v.is_floating_point() and
                     i in op.backward[2] else v for i, v in enumerate(args))
    # torch's aot_dispatch takes no operator that returns what it writes, and no NaN
    traced = op.fresh and not holds_nan(case, data)
    tests = ("test_schema", "test_autograd_registration", "test_faketensor") + \
        (("test_aot_dispatch_dynamic",) if traced else ())
    found = torch.library.opcheck(form_of(op), args, kwargs, test_utils=tests, raise_exception=False)
    for name, outcome in found.items():
        good = outcome == "SUCCESS"
        tell("ok" if good else "FAILED", op, f"{name} {case['text']}",
             "" if good else str(outcome).splitlines()[0])


def run_dynamic(op, cases, data, device):
    """Cases that differ in sizes alone share one graph."""
    groups = {}
    for case in cases:
        tensors = [k["tensor"] for k in case["args"] if isinstance(k, dict) and "tensor" in k]
        key = json.dumps([[k["tensor"]["dtype"], len(k["tensor"]["shape"])]
                          if isinstance(k, dict) and "tensor" in k else k for k in case["args"]])
        sizes = [s for t in tensors for s in t["shape"]]
        # a size of 1, an order of strides and an offset are other graphs for torch itself
        if min(sizes or [2]) > 1 and all(
                tensor(t, data).is_contiguous() and not t.get("before") for t in tensors):
            groups.setdefault(key, []).append(case)
    group = max(groups.values(), key=len, default=[])
    if len(group) < 2 or not op.fresh:
        return
    from torch._dynamo.testing import CompileCounter
    import torch.fx.experimental._config as config
    if hasattr(config, "use_duck_shape"):
        config.use_duck_shape = False  # sizes that happen to be equal are not one
    torch._dynamo.reset()
    counter = CompileCounter()
    call = torch.compile(form_of(op), fullgraph=True, dynamic=True, backend=counter)
    for case in group:
        args, kwargs = split(op, arguments(case, data, device))
        call(*args, **kwargs)
    if counter.frame_count == 1:
        tell("ok", op, "dynamic")
    else:
        tell("FAILED", op, "dynamic", f"{counter.frame_count} graphs for {len(group)} cases")


def run_export(op, case, data, device):
    """torch.export keeps the operator as one call, with the same values."""
    a, again = arguments(case, data, device), arguments(case, data, device)
    args, kwargs = split(op, a)
    at = [i for i, v in enumerate(args) if any(True for _ in runtime._tensors([v]))]
    call = form_of(op)

    class Model(torch.nn.Module):
        def forward(self, *tensors):
            given = dict(zip(at, tensors))
            return call(*(given.get(i, v) for i, v in enumerate(args)), **kwargs)

    program = torch.export.export(Model(), tuple(args[i] for i in at), strict=False)
    calls = sum(node.target is call for node in program.graph.nodes)
    want = results(op, a, call(*args, **kwargs))
    got = results(op, again, program.module()(*(again[i] for i in at)))
    same = all(is_same(g, w, tensor(t["values"], data), t)
               for g, w, t in zip(got, want, case["outputs"]))
    if calls == 1 and same:
        tell("ok", op, "export")
    else:
        tell("FAILED", op, "export", f"{calls} calls of it in the exported graph, or other values")


def is_solid(case):
    """Its tensors have two elements or more."""
    tensors = [k["tensor"] for k in case["args"] if isinstance(k, dict) and "tensor" in k]
    return all(math.prod(t["shape"]) > 1 for t in tensors)


def run_gradient(op, case, data, device):
    """No gradient is an error with words, not a silent None."""
    args, kwargs = split(op, arguments(case, data, device))
    args = tuple(v.requires_grad_() if isinstance(v, torch.Tensor) and v.is_floating_point()
                 else v for v in args)
    asked = [v for v in args if isinstance(v, torch.Tensor) and v.requires_grad]
    if not asked or not op.fresh or not op.returns:
        return
    if op.backward:
        return run_differences(op, args, kwargs)
    got = next((g for g in listed(form_of(op)(*args, **kwargs)) if g.is_floating_point()), None)
    if got is None:
        return
    try:
        got.sum().backward()
    except RuntimeError as e:
        state = "ok" if re.search(r"has no gradient|derivative for .* is not implemented", str(e)) else "FAILED"
        return tell(state, op, "gradient", str(e))
    tell("FAILED", op, "gradient", "backward() did not say that there is none")


def run_differences(op, args, kwargs):
    """The gradient along a random direction, against central differences in f64.

    The second step is for kernels that compute in f32 whatever they are given.
    """
    torch.manual_seed(0)
    steps = (1e-6, 1e-5), (1e-3, 1e-3)  # with the error that is allowed
    wide = lambda v: v.detach().double() if isinstance(v, torch.Tensor) and v.is_floating_point() else v
    args, kwargs = tuple(map(wide, args)), {n: wide(v) for n, v in kwargs.items()}
    way = [torch.randn_like(v) if isinstance(v, torch.Tensor) and v.is_floating_point() and
           i in op.backward[2] else None for i, v in enumerate(args)]

    def moved(by):
        at = tuple(v if w is None else v + by * w for v, w in zip(args, way))
        got = listed(form_of(op)(*at, **kwargs))
        return [g for i, g in enumerate(got) if i in op.backward[3]]

    try:
        weights = [torch.randn_like(g) for g in moved(0)]
        wants = [sum(float(((p - m) / (2 * step) * w).sum())
                     for p, m, w in zip(moved(step), moved(-step), weights)) for step, _ in steps]
        asked = [None if w is None else v.requires_grad_() for v, w in zip(args, way)]
        sum((g * w).sum() for g, w in zip(moved(0), weights)).backward()
    except NotImplementedError as e:  # no kernel takes f64
        return tell("skipped", op, "gradient", str(e).splitlines()[0])
    terms = [v.grad * w for v, w in zip(asked, way) if v is not None]
    found, scale = sum(float(t.sum()) for t in terms), sum(float(t.abs().sum()) for t in terms)
    if any(abs(found - want) <= allowed * max(scale, abs(want)) + 1e-9
           for want, (_, allowed) in zip(wants, steps)):
        tell("ok", op, "gradient")
    else:
        tell("FAILED", op, "gradient",
             f"{found:.9g} along a random direction, a difference says {wants[0]:.9g}")


def overhead(op, case, data):
    args, kwargs = split(op, arguments(case, data, "cpu"))
    call, best = form_of(op), float("inf")
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(2000):
            call(*args, **kwargs)
        best = min(best, (time.perf_counter() - start) / 2000)
    print(f"{op.name}: {best * 1e6:.2f} us per call"
          f"{', without Python' if op.direct else ''}, {case['text']}")


def run_device(op, cases, data, device):
    """Returns the cases that are good for more: taken, and without NaN if there are such."""
    cases = [c for c in cases if run_values(op, form_of(op), c, data, device)]
    for case in cases if device == "cuda" else []:
        run_capture(op, case, data)
    plain = [c for c in cases if not holds_nan(c, data)] or cases
    for case in plain[:2] if hasattr(torch.library, "opcheck") else []:
        run_opcheck(op, case, data, device)
    for case in [c for c in cases if is_solid(c)][:1] or cases[:1]:
        run_gradient(op, case, data, device)
    return plain


def main(names):
    timing = "--time" in names
    names = [n for n in names if n != "--time"]
    new = hasattr(torch.library, "opcheck")
    for op, entry in zip(table.OPS, CASES["ops"]):
        if names and entry["op"] not in names:
            continue
        with open(os.path.join(here, entry["data"]), "rb") as f:
            data = f.read()
        if timing:
            overhead(op, entry["cases"][0], data)
            with torch.inference_mode():  # no gradients: no kernel of autograd
                overhead(op, entry["cases"][0], data)
            continue
        devices = [d for d in op.kernels if d == "cpu" or torch.cuda.is_available()]
        if not devices:
            tell("skipped", op, "all", f"no {' or '.join(op.devices)} here")
        for case in entry["cases"]:
            run_fake(op, case, data)
        good = {d: run_device(op, entry["cases"], data, d) for d in devices}
        if devices and good[devices[0]] and new and op.fresh:
            run_dynamic(op, good[devices[0]], data, devices[0])
            run_export(op, good[devices[0]][0], data, devices[0])
    if not timing:
        print(f"torch {torch.__version__}: {counts['ok']} ok, {counts['FAILED']} failed, "
              f"{counts['skipped']} skipped")
    return 1 if counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
