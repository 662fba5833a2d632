# Tensors of gen_input.py whose elements are independent random numbers are told
# from others, and elements of them change places in trials and timed calls.
#
# takes 10 s

OPSWEEP_PYTHON=$(python_with torch) || skip "no python3 with torch"
export OPSWEEP_PYTHON
compile_quickly

mkdir -p "$TMP/told/told"
cat >"$TMP/told/told/gen_input.py" <<'PY'
import torch


def changed(tensor, change):
    change(tensor)
    return tensor


def related(make, other):
    tensor = make()
    return tensor, other(tensor)


def weights():
    layer = torch.nn.Linear(6, 5)
    return layer.weight, layer.bias


# Each: what the fills are to be (i: independent, d: drawn), and the tensors.
CASES = [
    ("i", lambda: (torch.randn(4, 5),)),
    ("ii", lambda: (torch.randn(4, 5), torch.rand(7))),
    ("i", lambda: ((torch.rand(3, 4, device="cuda") * 2 - 1).bfloat16(),)),
    ("i", lambda: (torch.randn(3, 4).t().contiguous() / 2,)),
    ("i", lambda: (torch.empty(9).normal_(),)),
    ("i", lambda: (torch.randint(0, 5, (8,)),)),
    ("i", lambda: (torch.randperm(8),)),
    ("i", lambda: (torch.rand(8) > 0.5,)),
    ("i", lambda: (torch.randn_like(torch.ones(8)),)),
    ("i", lambda: (changed(torch.randn(8), lambda t: t.mul_(3)),)),
    ("ii", weights),
    ("d", lambda: (torch.ones(8),)),
    ("d", lambda: (torch.arange(8.0),)),
    ("d", lambda: (torch.randn(8).sort().values,)),
    ("d", lambda: (torch.softmax(torch.randn(3, 4), -1),)),
    ("d", lambda: (torch.tril(torch.randn(4, 4)),)),
    ("d", lambda: (changed(torch.randn(8), lambda t: t.fill_(1)),)),
    ("d", lambda: (changed(torch.randn(8), lambda t: t[1:].zero_()),)),
    ("d", lambda: (changed(torch.randn(8), lambda t: t.__setitem__(0, 1)),)),
    ("d", lambda: (changed(torch.randn(8), lambda t: t.numpy().sort()),)),
    ("d", lambda: (changed(torch.randn(8), lambda t: t.data.sort()),)),
    ("dd", lambda: related(lambda: torch.randn(8), lambda t: t)),
    ("dd", lambda: related(lambda: torch.randn(8), lambda t: t * 2)),
    ("dd", lambda: related(lambda: torch.randint(1, 5, (4,)),
                           lambda t: t.cumsum(0))),
    ("dd", lambda: related(lambda: torch.randint(1, 5, (4,)),
                           lambda t: torch.ones(int(t.sum())))),
    ("dd", lambda: related(lambda: torch.randn(4, 4), lambda t: t @ t.T)),
    ("di", lambda: (torch.ones(3), torch.randn(3))),
]


def get_correctness_tests():
    return [(lambda make=make: list(make()), expected)
            for expected, make in CASES]
PY
printf 'def told_reference(tensors, expected):\n    return tensors[0]\n' \
    >"$TMP/told/told/told_reference.py"
printf 'def told_kernel_impl(tensors, expected):\n    return tensors[0]\n' \
    >"$TMP/told/told/told_copy.py"
expect_exit 0 "$OPSWEEP" plan --custom-ops-root "$TMP/told" --json
python3 - "$TMP/out" <<'PY'
import json, re, sys

cases = json.load(open(sys.argv[1]))["bundles"]
wrong = []
for c in cases:
    want = re.search(r"'([id]+)'", c["case"]).group(1)
    fills = "".join(f[0] for f in re.findall(r"[a-z]+(?=\()", c["fill"]))
    if fills != want:
        wrong.append((c["case"], c["fill"]))
for w in wrong:
    print(*w)
assert not wrong and len(cases) == 27, len(cases)
PY

# What keeps results by a few elements, or by what does not depend on places.
mkdir -p "$TMP/kept/tanh2"
cat >"$TMP/kept/tanh2/gen_input.py" <<'PY'
import torch


def get_correctness_tests():
    return [torch.randn(50, 8), torch.randn(300)]


def get_performance_tests():
    return [torch.randn(20000)]
PY
printf 'import torch\n\n\ndef tanh2_reference(x):\n    return torch.tanh(x)\n' \
    >"$TMP/kept/tanh2/tanh2_reference.py"
cp "$TMP/kept/tanh2/tanh2_reference.py" "$TMP/kept/tanh2/tanh2_right.py"
sed -i 's/tanh2_reference/tanh2_kernel_impl/' "$TMP/kept/tanh2/tanh2_right.py"
for key in 'x.flatten()[:1]' 'x.double().sum()[None]'; do
    n=$((${n:-0} + 1))
    cat >"$TMP/kept/tanh2/tanh2_kept$n.py" <<PY
import torch

kept = {}


def tanh2_kernel_impl(x):
    key = x.shape, ($key).numpy().tobytes()
    if key not in kept:
        kept[key] = torch.tanh(x)
    return kept[key].clone()
PY
done
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/kept" -n 1 --profile smoke \
    --device cpu -o "$TMP/kept.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/kept.h5" --format csv -o "$TMP/kept.csv"
python3 - "$TMP/kept.csv" <<'PY'
import csv, sys

for r in csv.DictReader(open(sys.argv[1])):
    print(r["impl"], r["case"], r["status"], r["fill"])
    assert r["status"] == ("pass" if r["impl"] == "right" else "stale")
PY
