# BackendBench's own words: its folders, commands and examples as they stand,
# with torch on the processor.
#
# takes 60 s

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

# --- custom_ops: every form of item, device="cuda" without a GPU ---

expect_exit 1 "$OPSWEEP" run --suite custom_ops --backend custom_ops \
    --custom-ops-root $BB/custom_ops --device cpu --profile correct -n 1 \
    -o "$TMP/all.h5"
rows "$TMP/all.h5"
expect_equal 10 "$(count '^myop.default py pass ')" "cells that pass"
expect_equal 10 "$(count '^myop.default py_wrong value ')" "wrong cells"
expect_equal 10 "$(count '^myop.default triton (load|unsupported) ')" "Triton"
expect_grep "^myop.default py pass \(\(T\(\[16\], f32\),\), \{'alpha': 3.0\}\)" \
    "$TMP/rows"
expect_grep "^myop.default py pass \(\(T\(\[3, 2\], f32\), 2.5\), \{\}\)" \
    "$TMP/rows"
expect_exit 0 "$OPSWEEP" list --suite custom_ops --backend custom_ops \
    --custom-ops-root $BB/custom_ops --ops myop
expect_out '^myop.default +9 \+ 1 +cases'

# --- defaults of a schema, in Python as in native code ---

expect_exit 1 "$OPSWEEP" run --custom-ops-root $BB/defaults --device cpu \
    --profile correct -n 1 -o "$TMP/defaults.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/defaults.h5" --format csv -o "$TMP/d.csv"
python3 tests/shell/fixtures.py "$TMP/d.csv" 2
expect_no_grep 'in its own precision' "$TMP/d.csv"

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

# --- folders named by hand, under their parent ---

mkdir -p "$TMP/parent/my_experiment_v1"
cp -r $BB/defaults/lift "$TMP/parent/my_experiment_v1/"
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/parent" --impls '*python' \
    --device cpu --profile correct -n 1 -o "$TMP/parent.h5"
expect_out '2 cells, 2 pass'
expect_exit 0 "$OPSWEEP" show "$TMP/parent.h5" 0 --rerun
expect_out 'again, here: pass'
cp -r "$TMP/parent/my_experiment_v1" "$TMP/parent/another"
expect_exit 2 "$OPSWEEP" run --custom-ops-root "$TMP/parent" -n 1 \
    -o "$TMP/no.h5"
expect_err "op 'lift.default' is in two folders, '.*/another/lift' and '.*/my_exp\
eriment_v1/lift': .* or take one of their parents as the root"
