# tests/gpu/package_aten.py - a package's operators against torch's own
#
#   package_aten.py FOLDER cpu|cuda
#
# Values of all cases, gradients of a random weighting of the results, and what
# kept states cost.  A line for each operator that differs.  Exit code 1 where it also
# differs from the reference's results, which torch's own operators do, too.
import collections
import os
import sys
import time

folder, device = sys.argv[1:]
sys.path.insert(0, os.path.join(folder, "tests"))
import test_ops as t  # noqa: E402
import torch  # noqa: E402

torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
counts = collections.Counter()
told = set()


def tell(state, op, what, case, why=""):
    counts[what, state] += 1
    if state != "same" and (op.name, what) not in told:
        told.add((op.name, what))
        print(f"{state:9} {op.name} {what}: {why.splitlines()[0] if why else ''}; {case['text']}"[:300])


def aten_of(op):
    name, _, overload = op.schema.split("(", 1)[0].strip().partition(".")
    packet = getattr(torch.ops.aten, name, None)
    return getattr(packet, overload or "default", None)


def both(op, aten, case, data, graded):
    """Results and arguments of both; the arguments may be written."""
    for call in t.form_of(op), aten:
        a = t.arguments(case, data, device)
        for i in graded:
            a[i] = a[i].detach().requires_grad_()
        args, kwargs = t.split(op, a)
        yield t.listed(call(*args, **kwargs)), a


def differ(got, want, outputs):
    """Each is within the tolerance around the reference: twice that apart at most."""
    for i, (g, w, o) in enumerate(zip(got, want, outputs)):
        if g.dtype != w.dtype or g.shape != w.shape:
            return f"output {i}: {g.dtype} {list(g.shape)}, torch's is {w.dtype} {list(w.shape)}"
        wrong = t.compare(g, w.cpu(), dict(o, rtol=2 * o["rtol"], atol=2 * o["atol"]))
        if wrong:
            return f"output {i}: {wrong}"


def values(op, aten, case, data):
    try:
        (got, _), (want, _) = both(op, aten, case, data, ())
    except (RuntimeError, TypeError, IndexError) as e:
        refused = "no implementation takes" in str(e) or op.name not in str(e)
        return tell("not taken" if refused else "FAILED", op, "values", case, str(e))
    wrong = differ(got, want, case["outputs"])
    if wrong and not any(t.compare(g, t.tensor(o["values"], data), o) for g, o in zip(got, case["outputs"])):
        return tell("torch off", op, "values", case, wrong)
    tell("FAILED" if wrong else "same", op, "values", case, wrong or "")


def gradients(op, aten, case, data):
    graded = [i for i, v in enumerate(case["args"]) if i in op.backward[2] and
              isinstance(v, dict) and "tensor" in v and v["tensor"]["dtype"] in ("f32", "f64")]
    grads = []
    if not graded:
        return
    try:
        for got, a in both(op, aten, case, data, graded):
            torch.manual_seed(0)
            sum((g * torch.randn(g.shape).to(g)).sum() for i, g in enumerate(got)
                if i in op.backward[3]).backward()
            grads.append([a[i].grad for i in graded])
    except NotImplementedError as e:
        return tell("not taken", op, "gradient", case, str(e))
    except RuntimeError as e:
        return tell("FAILED", op, "gradient", case, str(e))
    for g, w in zip(*grads):
        error, scale = float((g - w).abs().sum()), float(w.abs().sum())
        if not error <= 1e-5 * scale + 1e-9 * w.numel():
            return tell("FAILED", op, "gradient", case, f"differs by {error:.3g} of {scale:.3g} in all")
    tell("same", op, "gradient", case)


def is_finite(case, data):
    return all(bool(t.tensor(o["values"], data).isfinite().all()) for o in case["outputs"])


def kept_states():
    """Device memory and time of states for 64 shapes; the second time they are there."""
    ops = {op.name.split("::")[1]: op for op in t.table.OPS}
    for name, args in (("_softmax", lambda n: (torch.ones(8, n, device=device), 1, False)),
                       ("mm", lambda n: (torch.ones(8, n, device=device), torch.ones(n, 8, device=device)))):
        if name not in ops:
            continue
        call, said = t.form_of(ops[name]), []
        for _ in range(2):
            torch.cuda.synchronize()
            free, start = torch.cuda.mem_get_info()[0], time.perf_counter()
            for n in range(64):
                call(*args(100 + n))
            torch.cuda.synchronize()
            said.append((free - torch.cuda.mem_get_info()[0], (time.perf_counter() - start) / 64))
        print(f"{name}: 64 states take {said[0][0] / 2**20:.0f} MiB; a call that prepares "
              f"{said[0][1] * 1e6:.0f} us, one that does not {said[1][1] * 1e6:.0f} us")
        x = args(50)
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                call(*x)
            print(f"{name}: captured without a warm-up")
        except RuntimeError as e:
            print(f"{name}: not captured without a warm-up: {str(e).splitlines()[0]}")


def main():
    for op, entry in zip(t.table.OPS, t.CASES["ops"]):
        aten = aten_of(op)
        if device not in op.kernels or aten is None:
            print(f"left out  {op.name}: {'torch has no such operator' if aten is None else 'not built'}")
            counts["operators", "left out"] += 1
            continue
        counts["operators", "compared"] += 1
        with open(os.path.join(t.here, entry["data"]), "rb") as f:
            data = f.read()
        for case in entry["cases"]:
            values(op, aten, case, data)
        for case in [c for c in entry["cases"] if op.backward and is_finite(c, data)][:2]:
            gradients(op, aten, case, data)
    for what in "operators", "values", "gradient":
        print(f"{what}: " + ", ".join(f"{n} {state}" for (w, state), n in sorted(counts.items()) if w == what))
    if device == "cuda":
        kept_states()
    return any(state == "FAILED" for _, state in counts)


if __name__ == "__main__":
    sys.exit(main())
