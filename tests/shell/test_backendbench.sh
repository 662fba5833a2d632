# BackendBench's own words: its folders, commands and examples as they stand,
# with torch on the processor.
#
# takes 70 s

OPSWEEP_PYTHON=$(python_with torch) || skip "no python3 with torch"
export OPSWEEP_PYTHON
BB=tests/fixtures/backendbench

# rows FILE: "op impl state case" of each cell, sorted, to $TMP/rows
rows() {
    "$OPSWEEP" report "$1" --format csv -o "$TMP/cells.csv" >"$TMP/said" || true
    python3 - "$TMP/cells.csv" >"$TMP/rows" <<'PY'
import csv, sys

rows = csv.DictReader(open(sys.argv[1], newline=""))
for line in sorted("%s %s %s %s" % (r["op"], r["impl"] or "-", r["status"],
                                    r["case"]) for r in rows):
    print(line)
PY
}
count() { grep -cE "$1" "$TMP/rows" || true; }

# --- one campaign over folders named by hand, under their parent ---

# Every form of item, device="cuda" without a GPU; defaults of a schema, in Python as
# in native code; operators that are registered with torch, named as torch names them.
root=$TMP/parent
mkdir -p "$root/my_experiment_v1" "$root/same/scale"
cp -r $BB/custom_ops $BB/registered "$root/"
cp -r $BB/defaults/* "$root/my_experiment_v1/"

# What cannot be loaded names the op's own file and line, not ours: without
# torch.library.custom_op (torch < 2.4), by its file, as an import takes a second.
needs_custom_op=
if "$OPSWEEP_PYTHON" - <<'PY'; then
import importlib.util, os, sys
torch = os.path.dirname(importlib.util.find_spec("torch").origin)
sys.exit(os.path.exists(os.path.join(torch, "_library", "custom_ops.py")))
PY
    needs_custom_op=1
    mkdir "$root/cookiecutter"
    cp -r $BB/cookiecutter/my_multi_out "$root/cookiecutter/my_other_out"
    (cd "$root/cookiecutter/my_other_out" && sed -i 's/my_multi_out/my_other_out/g' -- * &&
        mv my_multi_out_reference.py my_other_out_reference.py)
fi

# Values are those that were planned, with as many threads as a worker may have.
cat >"$root/same/scale/gen_input.py" <<'PY'
import torch


def get_correctness_tests():
    a = torch.randn(300, 700)
    return [(a @ a.t(),), (torch.nn.functional.conv2d(
        torch.randn(2, 8, 64, 64), torch.randn(8, 8, 3, 3)),)]
PY
# Files may be called as packages are: who imports one gets the package.
for name in numpy torch statistics; do
    wrong=$([ $name = statistics ] && echo '+ 1' || true)
    cat >"$root/same/scale/$name.py" <<PY
import torch


def mean(x):
    return 3


def scale_kernel_impl(x):
    return torch.mul(x, 2) $wrong
PY
done
cat >"$root/same/scale/scale_reference.py" <<'PY'
import statistics


def scale_reference(x):
    return x * statistics.mean([1, 3])
PY

expect_exit 1 "$OPSWEEP" run --suite custom_ops --backend custom_ops \
    --custom-ops-root "$root" --device cpu --threads 2 --profile correct -n 1 \
    -o "$TMP/all.h5"
rows "$TMP/all.h5"
expect_equal 10 "$(count '^myop.default py pass ')" "cells that pass"
expect_equal 10 "$(count '^myop.default optimized pass ')" "under any name"
expect_equal 10 "$(count '^myop.default py_wrong value ')" "wrong cells"
expect_equal 10 "$(count '^myop.default triton (load|unsupported) ')" "Triton"
expect_grep "^myop.default py pass \(\(T\(\[16\], f32\),\), \{'alpha': 3.0\}\)" \
    "$TMP/rows"
expect_grep "^myop.default py pass \(\(T\(\[3, 2\], f32\), 2.5\), \{\}\)" \
    "$TMP/rows"
expect_equal 8 "$(count '^my_(ops|project)[^ ]+ [^ ]+ pass ')" 'cells of registered operators'
expect_equal 0 "$(grep -E '^my_(ops|project)' "$TMP/rows" | grep -v '\.my_other_out\.' |
    grep -vc ' pass ' || true)" 'registered operators that do not pass'
expect_equal 'numpy pass 2 statistics value 2 torch pass 2' "$(sed -n 's/^scale.default //p' "$TMP/rows" |
    cut -d' ' -f1,2 | sort | uniq -c | while read -r n what; do echo "$what $n"; done | xargs)"
python3 - "$TMP/cells.csv" "$TMP/d.csv" <<'PY'
import csv, sys

rows = list(csv.reader(open(sys.argv[1], newline="")))
op = rows[0].index("op")
csv.writer(open(sys.argv[2], "w", newline="")).writerows(
    r for r in rows if r[op] in ("op", "blend.default", "lift.default"))
PY
python3 tests/shell/fixtures.py "$TMP/d.csv" 2
expect_no_grep 'in its own precision' "$TMP/d.csv"
expect_exit 0 "$OPSWEEP" show "$TMP/all.h5" lift/pass__python/0 --rerun
expect_out 'again, here: pass'
if [ -n "$needs_custom_op" ]; then
    expect_exit 0 "$OPSWEEP" show "$TMP/all.h5" my_project.my_other_out.default/registered/0
    expect_out "^load .*my_other_out"
    expect_out "no attribute 'custom_op' \(ops.py:5, in <module>\)"
fi

expect_exit 0 "$OPSWEEP" list --suite custom_ops --backend custom_ops \
    --custom-ops-root $BB/custom_ops --ops myop
expect_out '^myop.default +9 \+ 1 +cases'
expect_out '^ +myop__optimized +optimized.py$'
expect_exit 0 "$OPSWEEP" list --custom-ops-root $BB/registered \
    --ops my_ops::mul3.out
expect_out '^my_ops.mul3.out '
expect_out '^1 op '
# Four folders, and what one of them has by itself: torch is imported once.
expect_exit 0 "$OPSWEEP" check $BB/registered/{grow_,mul3__out,scaled,twin_outputs}
expect_out '^21 cells run, 0 things wrong'
expect_equal 'grow_ mul3__out scaled twin_outputs' \
    "$(sed -n 's/^ok *\([^ ]*\) *is op .*/\1/p' "$TMP/out" | xargs)" 'folders checked'
expect_equal 4 "$(grep -c '^ok *cases ' "$TMP/out")" 'folders whose cases were run'
expect_equal 8 "$(grep -cE '^ok .* loads; exports' "$TMP/out")" 'files that were loaded'
expect_no_grep '^note' "$TMP/out"
# Nothing runs if a folder is none.
expect_exit 2 "$OPSWEEP" check $BB/registered/grow_ "$TMP/none"
expect_err "cannot read '.*/none'"
expect_no_grep . "$TMP/out"

cp -r "$root/my_experiment_v1" "$root/another"
expect_exit 2 "$OPSWEEP" run --custom-ops-root "$root" --ops lift -n 1 \
    -o "$TMP/no.h5"
expect_err "op 'lift.default' is in two folders, '.*/another/lift' and '.*/my_exp\
eriment_v1/lift': .* or take one of their parents as the root"

# Kernels for torch's operators: what they need, and nothing more.
put() { # NAME PARAMETERS EXPRESSION
    mkdir -p "$TMP/kernels/add__Tensor"
    printf 'import torch\n\n\ndef add__Tensor_kernel_impl(%s):\n    return %s\n' \
        "$2" "$3" >"$TMP/kernels/add__Tensor/add__Tensor_implementation_$1.py"
}
put needs 'a, b, *, alpha' 'a + alpha * b'
put two 'a, b' 'a + b'
put any '*args, **kwargs' 'torch.add(*args) if not kwargs else 1 / 0'
printf '%s\n' 'Operator: aten.add.Tensor' \
    'cnt: 1, ((T([32, 7], f32), T([7], f32)), {})' >"$TMP/add.txt"
expect_exit 0 "$OPSWEEP" run --kernels-dir "$TMP/kernels" --device cpu -n 1 \
    --traces "$TMP/add.txt" --profile correct -o "$TMP/add.h5"
expect_out '3 cells, 3 pass'

# --- the trees of kernels, and every command over them ---

kernel() { # FILE OP EXPRESSION
    mkdir -p "$(dirname "$TMP/generated_kernels/$1")"
    printf '%s\n' 'import torch' '' '' "def $2_kernel_impl(*args, **kwargs):" \
        "    return $3" >"$TMP/generated_kernels/$1"
}
run=run_20240101_120000
kernel $run/relu/relu_attempt_1.py relu 'args[0]'
kernel $run/relu/relu_attempt_2.py relu '1 / 0'
kernel $run/relu/relu_attempt_3.py relu 'args[0].clamp(min=0)'
kernel $run/add/add_attempt_1.py add 'torch.add(*args, **kwargs)'
echo text | tee "$TMP/generated_kernels/$run/"{OVERALL_SUMMARY.txt,README.md} \
    >"$TMP/generated_kernels/$run/relu/metadata.txt"
kernel my_experiment_v1/relu/relu_attempt_1.py relu 'torch.relu(args[0])'
kernel my_experiment_v1/add/add_attempt_1.py add 'args[0] + args[1]'
kernel evaluation_only/relu/relu.py relu 'torch.relu(*args)'
kernel evaluation_only/add/add.py add \
    'args[0] + kwargs.get("alpha", 1) * args[1]'

# takes COMMAND FOLDER OPTION... : the kernels that it takes, in one line; those of
# `run` pass
takes() {
    local folder=$TMP/generated_kernels/$2 command=$1 own=(-o "$TMP/kernels.h5" -n 1 -f)
    shift 2
    [ "$command" = run ] || own=(--json)
    expect_exit 0 "$OPSWEEP" "$command" --backend pregenerated --kernels-dir "$folder" \
        "$@" --device cpu --profile correct "${own[@]}"
    cp "$TMP/err" "$TMP/notes"
    if [ "$command" = run ]; then
        rows "$TMP/kernels.h5"
        sed -n 's/ pass .*//p' "$TMP/rows"
    else
        python3 -c 'import json, sys
for b in json.load(sys.stdin)["bundles"]:
    for c in b["cells"]:
        if c["status"] != "skipped":
            print(b["op"], c["impl"])' <"$TMP/out"
    fi | sort | xargs
}
both='aten.add.Tensor attempt_1 aten.relu.default attempt_3'
expect_equal "$both" "$(takes run $run --suite smoke)"
expect_equal "$both" "$(takes plan $run --ops relu,add)"
expect_equal 'aten.add.Tensor manual' "$(takes plan evaluation_only --ops add)"
expect_equal 'aten.add.Tensor attempt_1 aten.relu.default attempt_1' \
    "$(takes plan my_experiment_v1 --ops relu,add)"
expect_equal 'aten.add.Tensor attempt_1 aten.add.Tensor manual aten.relu.default '\
'attempt_3 aten.relu.default manual' "$(takes run . --suite smoke --ops relu,add)"
expect_grep "my_experiment_v1/add: passed over: '.*/$run/add/add_attempt_1.py' of" \
    "$TMP/notes"

# --- planning imports torch once for all generators, and for a worker beside it ---

mkdir "$TMP/site" "$TMP/broken" "$TMP/broken/torch"
cat >"$TMP/site/sitecustomize.py" <<PY
import sys


class Log:
    def find_spec(self, name, path, target=None):
        if name == "torch._C":
            print(name, file=open("$TMP/imports", "a"))


sys.meta_path.insert(0, Log())
PY
for op in one two three; do
    mkdir -p "$TMP/several/$op"
    printf 'def %s_kernel_impl(x):\n    return x\n' $op >"$TMP/several/$op/${op}_py.py"
    printf 'import torch\ndef get_correctness_tests():\n    return [(torch.ones(4),)]\n' \
        >"$TMP/several/$op/gen_input.py"
done
# imports CODE N WORDS...: opsweep WORDS imports torch N times
imports() {
    : >"$TMP/imports"
    PYTHONPATH=$TMP/site OPSWEEP_PASS_ENV=PYTHONPATH expect_exit "$1" "$OPSWEEP" "${@:3}"
    expect_equal "$2" "$(grep -c . "$TMP/imports")" "imports of torch by '${*:3:2}'"
}
several=(--custom-ops-root "$TMP/several" --device cpu)
imports 0 1 check "$TMP/several/one" "$TMP/several/two"
imports 3 1 run "${several[@]}" --profile correct -n 1 -o "$TMP/several1.h5"
imports 3 2 run "${several[@]}" --profile correct -n 2 -o "$TMP/several2.h5"
# One that cannot be imported is waited for by none.
echo 'raise ImportError("torn")' >"$TMP/broken/torch/__init__.py"
PYTHONPATH=$TMP/broken expect_exit 2 timeout 100 "$OPSWEEP" plan --device cpu \
    --custom-ops-root "$TMP/several"
expect_err 'gen_input.py: ImportError: torn'

# --- aten and flag_gems, by suite ---

expect_exit 0 "$OPSWEEP" run --suite smoke --backend aten --ops relu,add,mm \
    --device cpu --profile correct -n 1 -f -o "$TMP/aten.h5"
expect_out '3 cells, 3 pass'
for suite in smoke opinfo; do
    expect_exit 2 "$OPSWEEP" run --suite $suite --backend flag_gems --ops add,sub
    expect_err "has no package 'flag_gems': install it there"
done
