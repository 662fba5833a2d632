# Ops in Python, with numpy: as in test_fixtures.sh the file's name is the
# verdict, and no file costs another's cells.  One python serves them all.

OPSWEEP_PYTHON=$(python_with numpy) || fail "no python3 with numpy"
export OPSWEEP_PYTHON

expect_exit 1 "$OPSWEEP" run --suite custom_ops \
    --custom-ops-root tests/fixtures/python -n 1 --profile smoke --timeout 1 \
    --seed 1 -o "$TMP/python.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/python.h5" --format csv -o "$TMP/p.csv"
python3 - "$TMP/p.csv" <<'PY'
import collections, csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
wrong = [r for r in rows if r["impl"].split("__")[0] != r["status"]]
for r in wrong:
    print("%s/%s: expected %s, found %s (%s)" % (
        r["op"], r["impl"], r["impl"].split("__")[0], r["status"], r["reason"]))
states = collections.Counter(r["status"] for r in rows)
print(len(rows), "cells,", len(wrong), "wrong:", dict(states))
assert not wrong and len(states) >= 16

def one(impl, op="twice.default"):
    return next(r for r in rows if r["impl"] == impl and r["op"] == op)

# What is not checked is said, where it is not.
assert "guards and unwritten n/a" in one("pass__plain")["reason"]
assert one("pass__c")["reason"] == ""
assert one("pass__nothing", "add_.default")["reason"] == ""
# Words for who wrote it: where, and the traceback beside.
words = one("returned__raises")
assert "ValueError: no (1000,) here (twice_returned__raises.py:6, in helper)" \
    in words["reason"], words["reason"]
assert "Traceback" in words["output"] and "second line" in words["output"]
assert "'twice_kernel_imp'" in one("load__other_name")["reason"]
assert "twice_load__syntax.py:5" in one("load__syntax")["reason"]
assert len(one("pass__flood_of_output")["output"]) <= 4096
timed = [r for r in rows if r["op"] == "add_.default" and r["speedup"]]
assert timed, "no speedup of the in-place op"
PY
expect_no_file tests/fixtures/python/twice/__pycache__

# An interpreter that is none, or has nothing of what a file needs.
expect_exit 1 "$OPSWEEP" run --custom-ops-root tests/fixtures/python \
    --ops hang --impls pass__behind_it -n 1 --profile correct \
    --python "$TMP/nothing" -o "$TMP/none.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/none.h5" --format csv
expect_out "reference.*--python '.*nothing': expected a python3, found no"
