# Folders of kernels by the operators they replace (--backend directory), with
# numpy: one bad kernel costs its own cells, whatever is bad about it.
#
# takes 15 s

OPSWEEP_PYTHON=$(python_with numpy) || fail "no python3 with numpy"
export OPSWEEP_PYTHON
cat >"$TMP/calls.txt" <<'T'
Operator: aten.relu.default
cnt: 1, ((T([32, 7], f32),), {})
cnt: 1, ((T([33], f32),), {})
Operator: aten.mul.Tensor
cnt: 2, ((T([32, 7], f32), T([7], f32)), {})
Operator: aten.neg.default
cnt: 1, ((T([32, 7], f32),), {})
cnt: 1, ((T([33], f32),), {})
Operator: aten.add.Tensor
cnt: 1, ((T([32, 7], f32), T([7], f32)), {'alpha': 2})
Operator: aten.sin.default
cnt: 5, ((T([8], f32),), {})
Operator: aten.no_such_operator.default
cnt: 1, ((T([8], f32),), {})
cnt: 1, ((T([9], f32),), {})
T

# run_kernels CODE DIR OPTION...: cells as "op impl state: reason" in $TMP/cells
run_kernels() {
    local code=$1 dir=$2
    shift 2
    expect_exit "$code" "$OPSWEEP" run --kernels-dir "$dir" -n 1 --device cpu \
        --profile correct --timeout 1 -o "$TMP/k.h5" "$@"
    cp "$TMP/err" "$TMP/said"
    expect_exit "$code" "$OPSWEEP" report "$TMP/k.h5" --format csv -o "$TMP/k.csv"
    python3 - "$TMP/k.csv" >"$TMP/cells" <<'PY'
import csv, sys

for r in csv.DictReader(open(sys.argv[1], newline="")):
    print("%s %s %s: %s" % (r["op"], r["impl"] or "-", r["status"],
                            r["reason"]))
PY
    mv "$TMP/k.h5" "$TMP/last.h5"
}

# One of four writes where nothing is.
expect_exit 0 "$OPSWEEP" plan --backend pregenerated \
    --kernels-dir tests/fixtures/kernels --traces "$TMP/calls.txt"
expect_out "9 cells, 6 to judge, 3 skipped"
expect_out "kernels for 4 of 6 ops, 6 of 9 cases; not covered: \
aten.no_such_operator.default, aten.sin.default"
run_kernels 1 tests/fixtures/kernels --traces "$TMP/calls.txt"
expect_grep "backend directory: kernels for 4 of 6 ops" "$TMP/said"
expect_equal 4 "$(grep -c ' pass: ' "$TMP/cells")" "passing cells"
expect_equal 3 "$(grep -c ' skipped: not covered: no kernel in' \
    "$TMP/cells")" "cells not covered"
expect_equal 2 "$(grep -c 'neg.default implementation crash' "$TMP/cells")"

# One of its cells again, here and by the command that is printed.
row=$(grep -n '^aten.neg' "$TMP/cells" | head -n 1 | cut -d: -f1)
expect_exit 0 "$OPSWEEP" show "$TMP/last.h5" $((row - 1)) --rerun
expect_out "again, here: crash"
expect_out "--backend directory --kernels-dir tests/fixtures/kernels"

# The same with other faults in its place: every file is an implementation.
cp -r tests/fixtures/kernels "$TMP/four"
rm "$TMP/four/neg/"*
bad() { # NAME: the file on standard input
    cat >"$TMP/four/neg/neg_implementation_$1.py"
}
bad raises <<'P'
import numpy as np
def neg_kernel_impl(x):
    raise ValueError("no")
P
bad syntax <<'P'
import numpy as np
def neg_kernel_impl(x:
    return -x
P
bad import <<'P'
import nowhere
P
bad name <<'P'
import numpy as np
def neg_kernel(x):
    return -x
P
bad prefix <<'P'
import numpy as np
def neg_kernel_(x):
    return -x
def my_neg_kernel_impl(x):
    return -x
P
bad empty <<'P'
import numpy as np
P
bad class <<'P'
import numpy as np
class Model:
    def forward(self, x):
        return x
class ModelNew:
    def __call__(self, x):
        return -x
P
bad number <<'P'
import numpy as np
neg_kernel_impl = 3
P
bad exits <<'P'
import os
def neg_kernel_impl(x):
    os._exit(0)
P
bad hangs <<'P'
def neg_kernel_impl(x):
    while True:
        pass
P
run_kernels 1 "$TMP/four" --traces "$TMP/calls.txt"
expect_equal 4 "$(grep -c ' pass: ' "$TMP/cells")" "passing cells"
expect_equal 20 "$(grep -c '^aten.neg.default ' "$TMP/cells")" "cells of neg"
check_fault() { # NAME STATE REGEX
    expect_equal 2 "$(grep -cE \
        "^aten.neg.default implementation_$1 $2: .*$3" "$TMP/cells")" \
        "cells of neg_implementation_$1.py: $(grep "_$1" "$TMP/cells")"
}
check_fault raises returned 'ValueError: no \(neg_implementation_raises.py:3, in'
check_fault syntax load 'SyntaxError.*neg_implementation_syntax.py:2'
check_fault import load "No module named 'nowhere' .*_import.py:1.*; interpreter: /.*python.* .OPSWEEP_PYTHON, --python."
check_fault name load "neg_implementation_name.py defines no \
'neg_kernel_impl', but 'neg_kernel' in line 2"
check_fault prefix load "no 'neg_kernel_impl', but 'my_neg_kernel_impl' in line 4"
check_fault empty load "no 'neg_kernel_impl'$"
check_fault class load "no 'neg_kernel_impl', but the class 'ModelNew': add neg_kernel_impl = ModelNew\(\)"
check_fault number load "'neg_kernel_impl' is of type int, expected a function"
check_fault exits exited ''
check_fault hangs timeout ''

# Trees that generators leave: runs with attempts, kernels written by hand,
# folders in every spelling; which of several were taken is said.
put() { # PATH OP EXPRESSION
    mkdir -p "$(dirname "$1")"
    printf 'import numpy as np\n\n\ndef %s_kernel_impl(*x):\n    return %s\n' \
        "$2" "$3" >"$1"
}
R=$TMP/tree
put "$R/run_20240101_000000/relu/relu_attempt_7.py" relu 'x[0]'
put "$R/run_20250101_000000/relu/relu_attempt_1.py" relu 'x[0]'
put "$R/run_20250101_000000/relu/relu_attempt_10.py" relu 'np.maximum(x[0], 0)'
put "$R/evaluation_only/neg/neg.py" neg '-x[0]'
put "$R/mul/mul_implementation_v1.py" mul 'x[0] * x[1]'
put "$R/mul/mul_implementation_v2.py" mul 'x[0] + x[1]'
put "$R/mul.Tensor/mul__Tensor_implementation.py" mul__Tensor 'x[0] * x[1]'
put "$R/mul__Tensor/mul__Tensor_implementation.py" mul__Tensor 'x[0] - x[1]'
put "$R/sin/sin_implementation.py" sin 'np.sin(x[0])'
put "$R/sin/helpers.py" helpers '0'
run_kernels 0 "$R" --traces "$TMP/calls.txt" --ops relu,neg,sin,mul__Tensor
expect_equal 6 "$(grep -c ' pass: ' "$TMP/cells")" "cells that pass"
expect_equal 6 "$(wc -l <"$TMP/cells")" "cells"
expect_grep '^aten.relu.default attempt_10 pass' "$TMP/cells"
expect_grep '^aten.neg.default manual pass' "$TMP/cells"
expect_grep '^aten.mul.Tensor implementation pass' "$TMP/cells"
expect_grep 'relu_attempt_10.py: taken: the highest of 2 attempts' "$TMP/said"
expect_grep "run_20240101_000000/relu: passed over: .*run_20250101_000000/relu/relu_\
attempt_10.py' of another run" "$TMP/said"
expect_grep "mul__Tensor/mul__Tensor_implementation.py: passed over: .*mul\.\
Tensor/mul__Tensor_implementation.py' is the same implementation" "$TMP/said"
expect_grep 'sin/helpers.py: not understood' "$TMP/said"

# All versions of a file are judged; the cases may come from other suites.
rm -r "$R/mul.Tensor" "$R/mul__Tensor"
run_kernels 1 "$R" --suite smoke --ops mul__Tensor,relu
expect_grep '^aten.mul.Tensor implementation_v1 pass' "$TMP/cells"
expect_grep '^aten.mul.Tensor implementation_v2 value' "$TMP/cells"
mkdir -p "$TMP/own/good"
cp tests/fixtures/generators/good/good_pass__right.py \
    "$TMP/own/good/good_implementation.py"
run_kernels 0 "$TMP/own" --custom-ops-root tests/fixtures/generators \
    --ops 'good,mixed'
expect_equal 8 "$(grep -c '^good.default implementation pass' "$TMP/cells")" \
    "cells on generated inputs"
expect_grep '^mixed.default - skipped: not covered' "$TMP/cells"

expect_exit 2 "$OPSWEEP" run --kernels-dir "$TMP/nowhere"
expect_err "cannot read '.*nowhere' as a folder of kernels"
mkdir "$TMP/empty"
expect_exit 2 "$OPSWEEP" run --kernels-dir "$TMP/empty"
expect_err "no kernel found, expected <op>/<op>_implementation\*.py"

# A package that is not there is said before anything runs; one that is there
# gives what it registers, by operator.
expect_exit 2 "$OPSWEEP" run --backend flag_gems --traces "$TMP/calls.txt"
expect_err "backend 'flag_gems': '$OPSWEEP_PYTHON' has no package 'flag_gems'"
mkdir "$TMP/packages"
cat >"$TMP/packages/flag_gems.py" <<'P'
import multiprocessing
import os
import sqlite3
import types

import numpy as np

__version__ = "0"
# As the package itself does: a folder and a database of its own, locks.
cache = os.environ.get("FLAGGEMS_CACHE_DIR") or os.path.expanduser("~/.gems")
os.makedirs(os.path.join(cache, "config"), exist_ok=True)
with sqlite3.connect(os.path.join(cache, "config", "tuned.db")) as db:
    db.execute("create table if not exists tuned (kernel, config)")
with multiprocessing.Lock(), multiprocessing.RLock():
    pass
ops = types.SimpleNamespace(relu=lambda x: np.maximum(x, 0),
                            mul=lambda a, b: a - b,
                            sin_=None)
_FULL_CONFIG = (("neg", np.negative), ("mul.Tensor", np.multiply, None))
P
cat >"$TMP/gems.txt" <<'T'
Operator: aten.relu.default
cnt: 1, ((T([32, 7], f32),), {})
Operator: aten.mul.Tensor
cnt: 2, ((T([32, 7], f32), T([7], f32)), {})
Operator: aten.neg.default
cnt: 1, ((T([32, 7], f32),), {})
Operator: aten.sin.default
cnt: 5, ((T([8], f32),), {})
T
OPSWEEP_CACHE=$TMP/cache PYTHONPATH=$TMP/packages expect_exit 0 \
    "$OPSWEEP" run --backend flag_gems \
    --device cpu -n 1 --profile correct --traces "$TMP/gems.txt" -o "$TMP/f.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/f.h5" --format csv -o "$TMP/f.csv"
for op in relu.default mul.Tensor neg.default; do
    expect_grep "^.*aten.$op,.*flag_gems,.*pass" "$TMP/f.csv"
done
expect_grep "aten.sin.*unsupported.*flag_gems 0 has nothing for aten.sin" \
    "$TMP/f.csv"
