# Ops in torch on the processor, and BackendBench's own kind of folder.
#
# takes 30 s

OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: ops in torch are not run"
export OPSWEEP_PYTHON

expect_exit 1 "$OPSWEEP" run --custom-ops-root tests/fixtures/torch -n 1 \
    --device cpu --profile smoke --seed 1 -o "$TMP/t.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/t.h5" --format csv -o "$TMP/t.csv"
python3 tests/shell/fixtures.py "$TMP/t.csv" 10
python3 - "$TMP/t.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert any(r["t_median_ns"] for r in rows), "nothing was timed"
PY

# Calls that leave another shape of their argument each time, timed.
printf 'Operator: aten.unsqueeze_.default\ncnt: 1, ((T([12, 14, 3], i64), 0), {})\n' \
    >"$TMP/unsqueeze.txt"
expect_exit 0 "$OPSWEEP" run --traces "$TMP/unsqueeze.txt" --backend aten -n 1 \
    --device cpu --profile smoke --seed 1 -o "$TMP/unsqueeze.h5"
expect_out ' 1 cell, 1 pass'

# What only code on the host can hand over, and a folder of BackendBench's kind.
mkdir "$TMP/both"
cp -r tests/fixtures/torch_on_host tests/samples/custom_ops "$TMP/both/"
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/both" -n 1 \
    --device cpu --profile correct --seed 1 -o "$TMP/s.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/s.h5" --format csv -o "$TMP/s.csv"
python3 - "$TMP/s.csv" "$TMP/host.csv" <<'PY'
import csv, sys

rows = list(csv.reader(open(sys.argv[1], newline="")))
op = rows[0].index("op")
csv.writer(open(sys.argv[2], "w", newline="")).writerows(
    r for r in rows if r[op].split(".")[0] != "myop")
PY
python3 tests/shell/fixtures.py "$TMP/host.csv" 2
python3 - "$TMP/s.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
states = {k: {r["status"] for r in rows if r["impl"] == k}
          for k in ("right", "wrong", "triton")}
# Without a GPU there is no Triton, or it says that it cannot.
assert states["right"] == {"pass"} and states["wrong"] == {"value"}, states
assert states["triton"] <= {"load", "unsupported"}, states
PY

# Any operator of torch by the name that a trace has for it: against the
# library's oracle, or in float64, or not at all.
cat >"$TMP/trace.txt" <<'T'
Operator: aten.add.Tensor
cnt: 3, ((T([32, 7], f32), T([7], f32)), {'alpha': 2})
Operator: aten.index.Tensor
cnt: 1, ((T([16, 8], f32), [None, T([4], i64)]), {})
Operator: aten.hardshrink.default
cnt: 2, ((T([100], f32), 0.25), {})
cnt: 1, ((T([10], f64),), {'lambd': 1})
Operator: aten._to_copy.default
cnt: 1, ((T([4], f32),), {'dtype': f16, 'device': "torch.device('cuda')"})
cnt: 1, ((T([5], f32),), {'dtype': torch.float16, 'device': 'cuda:0'})
Operator: aten.hardsigmoid_.default
cnt: 1, ((T([50], f32),), {})
Operator: aten.frexp.Tensor
cnt: 1, ((T([64], f32),), {})
Operator: aten.logcumsumexp.default
cnt: 1, ((T([16, 16], f32), 1), {})
Operator: aten.argsort.default
cnt: 1, ((T([40], i32),), {})
Operator: aten.bernoulli.p
cnt: 1, ((T([40], f32), 0.5), {})
Operator: aten.to_sparse.default
cnt: 1, ((T([4, 4], f32),), {})
Operator: aten.new_empty.default
cnt: 1, ((T([40], f32), [3]), {})
Operator: aten.no_such_operator.default
cnt: 1, ((T([40], f32),), {})
T
expect_exit 0 "$OPSWEEP" run --suite traces --backend aten --device cpu -n 1 \
    --traces "$TMP/trace.txt" --profile correct --seed 2 -o "$TMP/a.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/a.h5" --format csv -o "$TMP/a.csv"
python3 - "$TMP/a.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
for r in rows:
    print(r["op"], r["case"], r["status"], r["max_abs_err"], r["reason"])
assert {r["impl"] for r in rows} == {"aten"}

def states(op):
    return [r["status"] for r in rows if r["op"] == op]

for op in ("add.Tensor", "index.Tensor", "hardsigmoid_.default",
           "logcumsumexp.default", "argsort.default"):
    assert states("aten." + op) == ["pass"], (op, states("aten." + op))
# No type is wider than float64: comparing torch with itself proves nothing.
assert states("aten.hardshrink.default") == ["pass", "unverified"]
assert states("aten.bernoulli.p") == ["unverified"]
drawn = [r for r in rows if r["op"] == "aten.bernoulli.p"][0]
assert "draws random numbers: no oracle" in drawn["reason"], drawn["reason"]
assert states("aten.new_empty.default") == ["unverified"]
assert states("aten.to_sparse.default") == ["unverified"]
missing = [r for r in rows if r["op"] == "aten.no_such_operator.default"][0]
assert missing["status"] == "unverified", missing["status"]
assert "has no operator aten.no_such_operator.default" in missing["reason"]
# Devices are the campaign's, however a trace writes them.
assert states("aten._to_copy.default") == ["pass"] * 2
PY

# Kernels in torch for operators that the library has not: torch in float64 is
# their oracle.  One of two is wrong.
mkdir -p "$TMP/k/hardshrink" "$TMP/k/logcumsumexp__default"
cat >"$TMP/k/hardshrink/hardshrink_implementation_v1.py" <<'PY'
import torch


def hardshrink_kernel_impl(x, lambd=0.5):
    return torch.where(x.abs() > lambd, x, torch.zeros_like(x))
PY
cat >"$TMP/k/logcumsumexp__default/logcumsumexp__default_implementation.py" <<'PY'
import torch


def logcumsumexp__default_kernel_impl(x, dim):
    return torch.cumsum(x, dim)
PY
expect_exit 1 "$OPSWEEP" run --kernels-dir "$TMP/k" --device cpu -n 1 \
    --traces "$TMP/trace.txt" --profile correct --seed 2 -o "$TMP/k.h5"
expect_err "kernels for 2 of 12 ops, 3 of 14 cases"
expect_exit 1 "$OPSWEEP" report "$TMP/k.h5" --format csv -o "$TMP/k.csv"
python3 - "$TMP/k.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
for r in rows:
    print(r["op"], r["case"], r["impl"], r["status"], r["reason"])

def states(op):
    return [(r["impl"], r["status"]) for r in rows if r["op"] == "aten." + op]

assert states("hardshrink.default") == [
    ("implementation_v1", "pass"), ("implementation_v1", "unverified")]
assert states("logcumsumexp.default") == [("implementation", "value")]
assert [r["status"] for r in rows].count("skipped") == 11
PY

# Arguments that a reference wrote are found on a GPU as on the host, where all
# are looked at in one go.
"$OPSWEEP_PYTHON" - worker/sandbox/python <<'PY'
import sys

sys.path.insert(0, sys.argv[1])
import torch
import opsweep_host

pairs, want = [], []
for name in opsweep_host.Torch.NAMES.values():
    x = (torch.arange(12).reshape(3, 4) % 2).to(getattr(torch, name))
    other = x.clone()
    other[1, 2] = 1 - int(x[1, 2].real if x.is_complex() else x[1, 2])
    pairs += [(v, v.clone()) for v in (x, x.t(), x[::2], x[:0], x[0, 0])]
    pairs += [(x, other)]
    want += [False] * 5 + [True]
nan = torch.full((3,), float("nan"))
number = torch.tensor([float("nan"), 0.0, float("nan")])
zero = torch.zeros(2)
pairs += [(nan, nan.clone()), (nan, number), (zero, -zero)]
want += [False, True, False]
arrays = opsweep_host.Torch("cpu")
assert arrays.differ(pairs) == want, "on the host"
arrays.device = "as a GPU"
assert arrays.differ(pairs) == want, "with what has more than 8 bytes"
small = [i for i, (x, _) in enumerate(pairs) if x.element_size() <= 8]
assert arrays.differ([pairs[i] for i in small]) == [want[i] for i in small]
assert arrays.differ([(zero, torch.zeros(3)), (zero, zero)]) == [True, False]
PY
