# Operators registered with torch as implementations, and what torch itself
# checks of them.  Files' names are the verdicts.

# Found, and wrong words about them, without torch.
expect_exit 0 "$OPSWEEP" list --custom-ops-root tests/fixtures/registered
expect_out "scale__pass__op +operators.py"
expect_no_grep "not understood" "$TMP/out"
mkdir -p "$TMP/bad"
cp -r tests/fixtures/registered/scale "$TMP/bad/"
rm "$TMP/bad/scale/raises.py"
expect_exit 2 "$OPSWEEP" plan --custom-ops-root "$TMP/bad"
expect_err "scale/op.json: torch.load__raises: cannot read 'raises.py'"

OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: operators registered with it are not run"
export OPSWEEP_PYTHON
expect_exit 1 "$OPSWEEP" run --custom-ops-root tests/fixtures/registered -n 1 \
    --device cpu --profile smoke --seed 1 -o "$TMP/r.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/r.h5" --format csv -o "$TMP/r.csv"
python3 - "$TMP/r.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
for r in rows:
    print(r["impl"], r["status"], r["speedup"], r["reason"])
assert len(rows) == 12
assert all(r["impl"].split("__")[0] == r["status"] for r in rows)
assert any(r["t_median_ns"] for r in rows if r["impl"] == "pass__op")

def reason(impl):
    return next(r["reason"] for r in rows if r["impl"] == impl)

assert "operators.py registers no operator osw_demo::scales.default" in \
    reason("load__no_such")
assert "not today" in reason("load__raises")
assert "text.so" in reason("load__no_library")
PY

# torch's own sub-tests, each with ok, FAILED or the reason why not.
expect_exit 1 "$OPSWEEP" check tests/fixtures/registered/scale
for test in test_schema test_autograd_registration test_faketensor \
    test_aot_dispatch_dynamic torch_compile; do
    expect_out "^(ok|skipped) +scale__pass__op +$test: .+"
done
grep -E '^[a-z]+ +scale__pass__op' "$TMP/out"
expect_out "FAILED +scale__mutated__op +schema: wrote to input argument 'x'"
expect_out "wrong +scale__load__no_library +.*text.so"

# What becomes of what they find: a stand-in for torch's.
expect_exit 1 "$OPSWEEP" check tests/fixtures/opcheck/scale
expect_out "ok +scale__op +test_schema: as torch.library.opcheck has it"
expect_out "ok +scale__op +test_autograd_registration: as torch"
expect_out "FAILED +scale__op +test_faketensor: RuntimeError: the shapes differ"
expect_out "FAILED +scale__op +test_aot_dispatch_dynamic: ended the process .* 3"
expect_out "FAILED +scale__op +torch_compile: AssertionError: .* are not close"
expect_out "cells run, 3 things wrong"
