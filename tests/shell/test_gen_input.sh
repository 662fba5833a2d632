# Cases that Python makes (gen_input.py), with numpy: every form of item, for
# Python and for host code; generators that fail cost their own op's cells.

OPSWEEP_PYTHON=$(python_with numpy) || fail "no python3 with numpy"
export OPSWEEP_PYTHON
ROOT=tests/fixtures/generators

expect_exit 0 "$OPSWEEP" list --custom-ops-root $ROOT --timeout 1
expect_out "^good.default +7 \+ 1 +cases"
expect_out "note: gen_input.py: ValueError: no sizes.*gen_input.py:3, in sizes"
expect_exit 0 "$OPSWEEP" plan --custom-ops-root $ROOT --ops good
expect_out "T\(\[4, 3\], f32, stride=\(1, 4\)\),\), \{\}\)  drawn\(2\)"
grep '^plan' "$TMP/out" >"$TMP/plan"
expect_exit 0 "$OPSWEEP" plan --custom-ops-root $ROOT --ops good
grep '^plan' "$TMP/out" | cmp - "$TMP/plan" || fail "another plan, same seed"
expect_exit 0 "$OPSWEEP" plan --custom-ops-root $ROOT --ops good --seed 7
grep '^plan' "$TMP/out" | cmp -s - "$TMP/plan" && fail "other seed, same values"

expect_exit 1 "$OPSWEEP" run --custom-ops-root $ROOT -n 1 --profile smoke \
    --timeout 1 --seed 3 -o "$TMP/g.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/g.h5" --format csv -o "$TMP/g.csv"
python3 - "$TMP/g.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))

def states(op, impl):
    return [r["status"] for r in rows
            if r["op"] == op + ".default" and r["impl"] == impl]

def reasons(op):
    return " | ".join(r["reason"] for r in rows if r["op"] == op + ".default")

assert states("good", "pass__right") == ["pass"] * 8
# The case without elements is right whatever is done.
assert sorted(states("good", "value__wrong")) == ["pass"] + ["value"] * 7
assert states("mixed", "pass__c") == ["pass"] * 2
assert states("mixed", "pass__python") == ["pass"] * 2
assert states("raises", "twice") == ["skipped"]
assert "gen_input.py:3, in sizes" in reasons("raises")
assert states("nothing", "twice") == ["skipped"]
assert "makes no case" in reasons("nothing")
assert states("endless", "twice") == ["skipped"]
assert "no answer within its deadline of 10.0 s" in reasons("endless")
assert states("unsteady", "twice") == ["reference"]
assert "other values than when it was planned" in reasons("unsteady")
assert states("strange", "twice") == ["skipped"] * 3 + ["value"]
assert "has no notation" in reasons("strange")
assert "KeyError: 'late' (gen_input.py:8, in fails)" in reasons("strange")
redrawn = [r for r in rows if r["impl"] == "pass__right"]
assert all(int(r["trials"]) & 1 for r in redrawn), "not tried on other draws"
PY
expect_exit 0 "$OPSWEEP" check $ROOT/mixed
expect_out "ok +cases +2 of 2 run"
expect_exit 1 "$OPSWEEP" check $ROOT/raises
expect_out "wrong +gen_input.py +gen_input.py: ValueError: no sizes today"
