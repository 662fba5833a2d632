# Results that are views of an argument are right while they are timed, too: the
# judge changes inputs before each timed call, and puts them back after the last.
#
# takes 6 s

OPSWEEP_PYTHON=$(python_with numpy) || fail "no python3 with numpy"
export OPSWEEP_PYTHON
mkdir -p "$TMP/ops/turn" "$TMP/ops/flat"
echo '{"performance": ["((T([300, 200], f32),), {})"]}' | tee "$TMP/ops/turn/gen_input.json" \
    >"$TMP/ops/flat/gen_input.json"

# In Python a view, and a copy that is kept from the first call on.
cat >"$TMP/ops/turn/turn_reference.py" <<'P'
import numpy


def turn_reference(x):
    return x.T
P
cat >"$TMP/ops/turn/turn_view.py" <<'P'
import numpy


def turn_kernel_impl(x):
    return x.T
P
cat >"$TMP/ops/turn/turn_part.py" <<'P'
import numpy

half = {}


def turn_kernel_impl(x):
    y = numpy.ascontiguousarray(x.T)
    kept = half.setdefault(float(x[0, 0]), y[: y.shape[0] // 2].copy())
    y[: y.shape[0] // 2] = kept
    return y
P

# In C the argument itself.
cat >"$TMP/ops/flat/flat_reference.py" <<'P'
import numpy


def flat_reference(x):
    return x.view()
P
cat >"$TMP/ops/flat/flat_alias.c" <<'C'
#include <opsweep/op.h>

int flat_kernel_impl(const osw_call *call)
{
    return osw_output_alias(call, 0, 0) ? 0 : OSW_ERROR;
}
C
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --device cpu -n 2 --profile smoke \
    --seed 1 -o "$TMP/v.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/v.h5" --format csv -o "$TMP/v.csv"
python3 - "$TMP/v.csv" <<'P'
import csv, sys

rows = {r["impl"]: r for r in csv.DictReader(open(sys.argv[1], newline=""))}
for impl in "view", "alias":
    assert rows[impl]["status"] == "pass", (impl, rows[impl]["reason"])
    assert int(rows[impl]["sample_n"]) > 0, impl
assert rows["part"]["status"] in ("stale", "value"), rows["part"]
P
