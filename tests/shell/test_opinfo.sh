# Suite opinfo: tests from torch's own op database.
#
# takes 25 s

printf '#!/bin/sh\nexec python3 -S "$@"\n' >"$TMP/bare"
chmod +x "$TMP/bare"
expect_exit 2 "$OPSWEEP" list --suite opinfo --python "$TMP/bare" --device cpu
expect_err "suite 'opinfo' needs torch in the Python that runs ops"
expect_exit 2 "$OPSWEEP" list --suite smoke --opinfo-dtype f32
expect_err "suite 'smoke' takes no --opinfo-dtype"
expect_exit 2 "$OPSWEEP" list --suite opinfo --opinfo-dtype bf17
expect_err "expected dtypes such as bf16 or f32, found 'bf17'"

OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: suite opinfo is not run"
export OPSWEEP_PYTHON

# The same tests as by BackendBench's rule, written down once more.
expect_exit 0 "$OPSWEEP" list --suite opinfo --backend aten --device cpu --json
mv "$TMP/out" "$TMP/list.json"
"$OPSWEEP_PYTHON" - "$TMP/list.json" <<'PY'
import json, re, sys, types, unittest, warnings
import torch

try:
    import expecttest
except ImportError:
    expecttest = types.ModuleType("expecttest")
    expecttest.TestCase, expecttest.ACCEPT = unittest.TestCase, False
    sys.modules["expecttest"] = expecttest
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._python_dispatch import TorchDispatchMode

warnings.simplefilter("ignore")
torch.manual_seed(1)


class Tracer(TorchDispatchMode):
    def __torch_dispatch__(self, fn, types, args=(), kwargs=None):
        self.ops.append(fn)
        return fn(*args, **(kwargs or {}))


def close(a, b):
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, torch.Tensor):
        torch.testing.assert_close(a, b, equal_nan=True, atol=1e-2, rtol=1e-2)
        return True
    return a == b


expected = {}
for entry in op_db:
    if ("." in entry.name and "nn.functional" not in entry.name) or \
            torch.bfloat16 not in entry.supported_dtypes("cpu") or \
            entry.name == "nonzero_static":
        continue
    for s in entry.sample_inputs("cpu", torch.bfloat16):
        tracer = Tracer()
        tracer.ops = []
        try:
            with tracer:
                want = entry.op(s.input, *s.args, **s.kwargs)
            if len(tracer.ops) == 1 and close(
                    want, tracer.ops[0](s.input, *s.args, **s.kwargs)):
                key = str(tracer.ops[0])
                expected[key] = expected.get(key, 0) + 1
        except Exception:
            pass

found = json.load(open(sys.argv[1]))
tests = {o["name"]: o["n_tests"] for o in found["ops"]}
print(found["suite_found"])
said = int(re.search(r"BackendBench counts (\d+) tests", found["suite_found"])[1])
want = sum(expected.values())
print("expected about", want, "tests of", len(expected), "operators")
# Values decide a few: where a random number or old memory equals another.
assert abs(said - want) <= max(10, want // 100), (said, want)
assert abs(sum(tests.values()) - want) <= want // 50
assert abs(len(tests) - len(expected)) <= 12
same = [k for k in expected if tests.get(k) == expected[k]]
assert len(same) >= 0.8 * len(expected), (len(same), len(expected))
assert not any(".empty" in k or ".new_empty" in k for k in tests)
PY

# Any worker makes the values again, for cases in a batch or outside of one.  What
# passes by BackendBench's words (bf16) is told apart by its dtype.
expect_exit 0 "$OPSWEEP" run --suite opinfo --backend aten --device cpu -n 3 \
    --ops 'aten.cumsum.*,aten.sort.*,aten.maximum.*,aten.where.*,aten.sum.*,add,sub' \
    --opinfo-dtype f32,i64,bf16 --profile correct --seed 7 -o "$TMP/a.h5"
expect_out "tests of"
expect_out "left out: .* samples: several operators are called"
expect_exit 0 "$OPSWEEP" report "$TMP/a.h5" --format csv -o "$TMP/a.csv"
python3 - "$TMP/a.csv" <<'PY'
import collections, csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
# The reference of a sort does not take 8000 numbers in bf16: that cell is unverified.
states = collections.Counter(r["status"] for r in rows if r["dtype"] != "bf16")
print(states, collections.Counter(r["op"] for r in rows))
assert set(states) <= {"pass", "weak"} and states["pass"] >= 30, states
assert {r["dtype"] for r in rows} >= {"f32", "i64", "bf16"}
short = [r for r in rows if r["op"].split(".")[1] in ("add", "sub")]
assert {r["op"] for r in short} == {"aten.add.Tensor", "aten.sub.Tensor"}
assert {r["op"] for r in short if r["dtype"] == "bf16"} == {r["op"] for r in short}
assert all((r["impl"], r["status"]) == ("aten", "pass") for r in short), short
assert all("drawn(" in r["fill"] for r in rows if "T(" in r["case"])
PY

# Any backend: a wrong implementation of one's own is found.
mkdir -p "$TMP/root/maximum"
echo '{"correctness": ["((T([2], f32), T([2], f32)), {})"], "performance": []}' \
    >"$TMP/root/maximum/gen_input.json"
echo '{"name": "aten.maximum.default"}' >"$TMP/root/maximum/op.json"
cat >"$TMP/root/maximum/maximum_reference.py" <<'PY'
import torch

def maximum_reference(x, y):
    return torch.where(x != x, x, torch.where((y != y) | (y > x), y, x))
PY
cat >"$TMP/root/maximum/maximum_right.py" <<'PY'
import torch

def maximum_kernel_impl(x, y):
    return torch.maximum(x, y)
PY
cat >"$TMP/root/maximum/maximum_wrong.py" <<'PY'
import torch

def maximum_kernel_impl(x, y):
    return torch.minimum(x, y)
PY
expect_exit 1 "$OPSWEEP" run --suite opinfo --custom-ops-root "$TMP/root" \
    --device cpu -n 1 --ops maximum --opinfo-dtype f16 --profile correct \
    -o "$TMP/b.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/b.h5" --format csv -o "$TMP/b.csv"
python3 - "$TMP/b.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
states = {k: [r["status"] for r in rows if r["impl"] == k]
          for k in ("right", "wrong")}
print(states)
assert len(states["right"]) >= 5 and set(states["right"]) <= {"pass", "weak"}
assert "value" in states["wrong"] and len(states["wrong"]) >= 5
PY
