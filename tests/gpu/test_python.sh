# Ops in Python on a GPU: BackendBench's own kind of folder with Triton, torch
# over the arena's memory, and faults that cost no other file's cells.
#
# takes 90 s

OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: ops in Python are not run on the GPU"
export OPSWEEP_PYTHON
"$OPSWEEP_PYTHON" -c 'import torch; assert torch.cuda.is_available()' ||
    skip "torch of $OPSWEEP_PYTHON has no CUDA"
triton=load
"$OPSWEEP_PYTHON" -c 'import triton' && triton=pass ||
    echo "no Triton in $OPSWEEP_PYTHON: its implementation must end as load"

# The examples are right; numpy has no GPU, and says so.
expect_exit 0 "$OPSWEEP" run --device cuda -n 1 --profile sweep --seed 1 \
    --custom-ops-root ops/examples \
    $([ $triton = pass ] || echo --impls '!triton') -o "$TMP/e.h5"
"$OPSWEEP" report "$TMP/e.h5" --all
expect_exit 0 "$OPSWEEP" report "$TMP/e.h5" --format csv -o "$TMP/e.csv"
expect_grep ',rotary.default,numpy,.*,unsupported,.*numpy has no arrays on a GPU' "$TMP/e.csv"
expect_no_grep ',rotary.default,.*,pass,' "$TMP/e.csv"

# Right, wrong, and Triton: 2 of 3.
expect_exit 1 "$OPSWEEP" run --device cuda -n 1 --profile smoke --seed 1 \
    --custom-ops-root tests/samples/custom_ops -o "$TMP/s.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/s.h5" --format csv -o "$TMP/s.csv"

# The states of tests/fixtures/torch are the same as on the processor, but for
# an array of numpy, which a GPU's tensor cannot become, and memory that holds
# no zeros on a processor only.
expect_exit 1 "$OPSWEEP" run --device cuda -n 1 --profile smoke --seed 1 \
    --custom-ops-root tests/fixtures/torch \
    --impls '!pass__numpy,!value__never_cleared,!unwritten__tail' \
    -o "$TMP/t.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/t.h5" --format csv -o "$TMP/t.csv"

# An assertion of the device, and a correct implementation after it.
mkdir -p "$TMP/root/pick"
cd "$TMP/root/pick"
echo '{"correctness": ["((T([64], f32), T([8], i64)), {})"]}' >gen_input.json
echo '{"fill": {"arg1": "index(numel(arg0))"}}' >op.json
cat >pick_reference.py <<'PY'
import torch


def pick_reference(x, index):
    return torch.index_select(x, 0, index)
PY
cat >pick_right.py <<'PY'
import torch


def pick_kernel_impl(x, index):
    return x[index]
PY
cat >pick_bad.py <<'PY'
import torch


def pick_kernel_impl(x, index):
    return torch.index_select(x, 0, index + 1000000)
PY
cd "$OLDPWD"
expect_exit 1 "$OPSWEEP" run --device cuda -n 1 --profile correct \
    --custom-ops-root "$TMP/root" -o "$TMP/f.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/f.h5" --format csv -o "$TMP/f.csv"

# A folder of kernels for 4 operators, one of which fails an assertion of the
# device in each of its 7 cases: the other 21 cells pass, and it is not
# judged on after three.
kernel() { # OP EXPRESSION
    mkdir -p "$TMP/kernels/$1"
    printf 'import torch\n\n\ndef %s_kernel_impl(*x):\n    return %s\n' \
        "$1" "$2" >"$TMP/kernels/$1/$1_implementation_v1.py"
}
kernel relu 'torch.clamp(x[0], min=0)'
kernel add__Tensor 'x[0] + x[1]'
kernel sigmoid '1 / (1 + torch.exp(-x[0]))'
kernel neg 'x[0][torch.full((9,), 1 << 30, device=x[0].device)]'
for op in relu.default add.Tensor sigmoid.default neg.default; do
    echo "Operator: aten.$op"
    for n in 1 7 33 128 1000 4096 65537; do
        case $op in
        add.Tensor) echo "cnt: 1, ((T([$n], f32), T([$n], f32)), {})" ;;
        *) echo "cnt: 1, ((T([$n], f32),), {})" ;;
        esac
    done
done >"$TMP/four.txt"
expect_exit 1 "$OPSWEEP" run --device cuda -n 1 --profile smoke --seed 1 \
    --kernels-dir "$TMP/kernels" --traces "$TMP/four.txt" -o "$TMP/k.h5"
expect_err "kernels for 4 of 4 ops, 28 of 28 cases"
cat "$TMP/out"
expect_exit 1 "$OPSWEEP" report "$TMP/k.h5" --format csv -o "$TMP/k.csv"

python3 tests/shell/fixtures.py "$TMP/t.csv" 1
python3 - "$TMP" $triton <<'PY'
import csv, sys

folder, triton = sys.argv[1:]

def read(name):
    return list(csv.DictReader(open("%s/%s.csv" % (folder, name), newline="")))

def states(rows, impl):
    return {r["status"] for r in rows if r["impl"] == impl}

sample = read("s")
for r in sample:
    print("%-8s %-45s %-8s %10s ns  speedup %s  timer %s  %s" % (
        r["impl"], r["case"], r["status"], r["t_median_ns"], r["speedup"],
        r["timer"], r["reason"][:60]))
assert states(sample, "right") == {"pass"}, states(sample, "right")
assert states(sample, "wrong") == {"value"}, states(sample, "wrong")
assert states(sample, "triton") == {triton}, states(sample, "triton")

faults = read("f")
print({r["impl"]: (r["status"], r["reason"]) for r in faults})
assert states(faults, "bad") == {"cuda"}, states(faults, "bad")
assert states(faults, "right") == {"pass"}, states(faults, "right")

kernels = read("k")
print({(r["op"], r["status"]): r["reason"] for r in kernels})
for op in ("relu.default", "add.Tensor", "sigmoid.default", "neg.default"):
    found = [r["status"] for r in kernels if r["op"] == "aten." + op]
    want = ["cuda"] * 3 + ["skipped"] * 4 if op == "neg.default" else ["pass"] * 7
    assert sorted(found) == want, (op, found)
PY
