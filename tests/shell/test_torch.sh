# Ops in torch on the processor, and BackendBench's own kind of folder.

OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: ops in torch are not run"
export OPSWEEP_PYTHON

expect_exit 1 "$OPSWEEP" run --custom-ops-root tests/fixtures/torch -n 1 \
    --device cpu --profile smoke --seed 1 -o "$TMP/t.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/t.h5" --format csv -o "$TMP/t.csv"
python3 - "$TMP/t.csv" <<'PY'
import collections, csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
wrong = [r for r in rows if r["impl"].split("__")[0] != r["status"]]
for r in wrong:
    print("%s/%s: expected %s, found %s (%s) on %s" % (
        r["op"], r["impl"], r["impl"].split("__")[0], r["status"], r["reason"],
        r["case"]))
states = collections.Counter(r["status"] for r in rows)
print(len(rows), "cells,", len(wrong), "wrong:", dict(states))
assert not wrong and len(states) >= 10
assert any(r["speedup"] for r in rows), "nothing was timed"
PY

expect_exit 1 "$OPSWEEP" run --custom-ops-root tests/samples/custom_ops -n 1 \
    --device cpu --profile correct -o "$TMP/s.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/s.h5" --format csv -o "$TMP/s.csv"
python3 - "$TMP/s.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
states = {k: {r["status"] for r in rows if r["impl"] == k}
          for k in ("right", "wrong", "triton")}
# Without a GPU there is no Triton, or it says that it cannot.
assert states["right"] == {"pass"} and states["wrong"] == {"value"}, states
assert states["triton"] <= {"load", "unsupported"}, states
PY
