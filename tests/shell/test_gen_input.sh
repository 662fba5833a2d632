# Cases that Python makes (gen_input.py), with numpy: every form of item, for
# Python and for host code; generators that fail cost their own op's cells.
#
# takes 40 s

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
grep '^plan' "$TMP/out" >"$TMP/seven"
expect_exit 0 "$OPSWEEP" plan --custom-ops-root $ROOT --ops good --seed 6
grep '^plan' "$TMP/out" | cmp -s - "$TMP/seven" && fail "6 and 7, same values"

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
# Any output of the case without elements is right.
assert sorted(states("good", "value__wrong")) == ["pass"] + ["value"] * 7
assert states("mixed", "pass__c") == ["pass"] * 2
assert states("mixed", "pass__python") == ["pass"] * 2
assert states("raises", "twice") == ["load"]
assert "gen_input.py:3, in sizes" in reasons("raises")
assert states("nothing", "twice") == ["load"]
assert "makes no case" in reasons("nothing")
assert states("endless", "twice") == ["load"]
assert "no answer within its deadline of 10.0 s" in reasons("endless")
assert states("unsteady", "twice") == ["reference"]
assert "other values than when it was planned" in reasons("unsteady")
assert states("shifting", "twice") == ["reference"]
assert "another case this time: ((T([" in reasons("shifting")
assert states("crashes", "twice") == ["load"]
assert "gen_input.py" in reasons("crashes") and \
    "signal 11" in reasons("crashes"), reasons("crashes")
assert states("leaves", "twice") == ["load"]
assert "gen_input.py" in reasons("leaves") and \
    "exit status 0" in reasons("leaves"), reasons("leaves")
assert states("syntax", "twice") == ["load"]
assert "gen_input.py:2" in reasons("syntax"), reasons("syntax")
assert states("misnamed", "twice") == ["load"]
assert reasons("misnamed").endswith(
    "but 'get_correctness_test' in line 5"), reasons("misnamed")
assert states("strange", "twice") == ["skipped"] * 3 + ["value"]
assert "has no notation" in reasons("strange")
assert "KeyError: 'late' (gen_input.py:8, in fails)" in reasons("strange")
# Right where it was tried, which cannot be with another seed: that is said, once.
sized = [r for r in rows if r["op"] == "sized.default"]
told = {"other inputs: ": 0, "other inputs once more: ": 0}
assert states("sized", "plain") == ["pass"] * 9
for r in sized:
    words = r["reason"].partition("not judged on ")[2]
    assert "not judged" not in words, words
    for when in told:
        told[when] += words.startswith(
            when + "gen_input.py: another case this time: ((T([")
    assert int(r["trials"]) & 1 or words.startswith("other inputs: "), words
assert all(told.values()) and sum(told.values()) < len(sized), told
redrawn = [r for r in rows if r["impl"] == "pass__right"]
assert all(int(r["trials"]) & 1 for r in redrawn), "not tried with another seed"
PY
expect_exit 0 "$OPSWEEP" check $ROOT/mixed
expect_out "ok +cases +2 of 2 run"
expect_exit 1 "$OPSWEEP" check $ROOT/raises
expect_out "wrong +gen_input.py +gen_input.py: ValueError: no sizes today"

# A case that is missing when its values are made, or has other arguments.
"$OPSWEEP_PYTHON" - <<'PY'
import sys, types

sys.path.insert(0, "worker/sandbox/python")
import numpy, opsweep_cases, opsweep_host

module = types.ModuleType("gen_input")
module.sizes = [3, 4]
module.get_correctness_tests = lambda: [
    (numpy.ones(n, numpy.float32), 1) for n in module.sizes]
made = opsweep_cases.Generator("gen_input.py", module,
                               [opsweep_host.Numpy("cpu")])
lines = made.expand(1, None).splitlines()
assert len(lines) == 2, lines
slot = numpy.zeros(4, numpy.float32)
assert "\t%016x\t" % made.draw((slot, 1), {}, 1, 1) in lines[1]
assert (slot == 1).all()

def draw(sizes, args, kwargs):
    module.sizes = sizes
    again = opsweep_cases.Generator("gen_input.py", module, made.arrays)
    try:
        again.draw(args, kwargs, 1, 1)
    except opsweep_cases.BadCase as e:
        return str(e)

assert draw([3, 4], (slot, 1), {}) is None
assert draw([3], (slot, 1), {}) == \
    "gen_input.py makes 1 case this time, case 1 was asked for"
assert "another case this time" in draw([3, 5], (slot, 1), {})
assert "another case this time" in draw([3, 4], (slot,), {})
assert "another case this time" in draw([3, 4], (slot, 1), {"more": slot})
PY

# A generator that ends while it makes the inputs of several cases: none of them
# is judged on what an earlier case left in memory.
mkdir -p "$TMP/ends/ends"
cat >"$TMP/ends/ends/gen_input.py" <<'PY'
import os

import numpy

asked = 0


def get_correctness_tests():
    global asked
    asked += 1
    if asked > 37:
        os._exit(3)
    return [(numpy.full(n, n) + numpy.random.rand(n) / 2,)
            for n in range(5, 185)]
PY
sed 's/mixed/ends/; s/osw_arg_float(call, 1, 1.0)/2.0/' \
    $ROOT/mixed/mixed_reference.c >"$TMP/ends/ends/ends_reference.c"
sed 's/mixed/ends/; s/osw_arg_float(call, 1, 1.0)/2.0/
    s/    return 0;/    return (int64_t)osw_get(x, 0) == osw_numel(x) ? 0 : OSW_UNSUPPORTED;/' \
    $ROOT/mixed/mixed_pass__c.c >"$TMP/ends/ends/ends_other_case.c"
"$OPSWEEP" run --custom-ops-root "$TMP/ends" -n 1 --profile correct \
    -o "$TMP/e.h5" || true
expect_exit 0 "$OPSWEEP" report "$TMP/e.h5" --format csv -o "$TMP/e.csv"
grep -c ',pass,' "$TMP/e.csv"
expect_no_grep ',unsupported,' "$TMP/e.csv"

# Two files of one name: one is judged, and a message names the other.
cp -r $ROOT/mixed "$TMP/mixed"
cp "$TMP/mixed/mixed_pass__python.py" "$TMP/mixed/mixed_pass__c.py"
expect_exit 0 "$OPSWEEP" plan --custom-ops-root "$TMP" --ops mixed
expect_out "mixed_pass__c.py: passed over: 'mixed_pass__c.c' has the same name"
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP" --ops mixed -n 1 \
    --profile correct -o "$TMP/m.h5"
expect_err "mixed_pass__c.py: passed over: 'mixed_pass__c.c' has the same name"
expect_out "4 cells, 4 pass"

# Inputs that code made for a case cannot be made for a smaller one.
expect_exit 3 "$OPSWEEP" show "$TMP/g.h5" good.default/value__wrong/2 --shrink
expect_err 'nothing to shrink: code makes the inputs of this case .*; --case, or gen_input.json, gives one'
expect_out '^a case of random numbers, which can be shrunk:$'
command=$(grep -A1 '^a case of random' "$TMP/out" | tail -n 1)
expect_no_grep "--fill" <(echo "$command")
PATH=$(dirname "$OPSWEEP"):$PATH expect_exit 1 sh -c "${command% -o *} -n 1 -f -o $TMP/shrunk.h5"
expect_exit 0 "$OPSWEEP" show "$TMP/shrunk.h5" 0 --shrink
expect_out '^the smallest of [0-9]+ cases? tried that ends as '

# An interpreter without numpy and torch is named.
printf '#!/bin/sh\nexec python3 -S -E "$@"\n' >"$TMP/bare"
chmod +x "$TMP/bare"
mkdir -p "$TMP/lean"
cp -r $ROOT/good "$TMP/lean/"
echo 'def get_correctness_tests(): return [(1.5,)]' >"$TMP/lean/good/gen_input.py"
expect_exit 2 "$OPSWEEP" plan --custom-ops-root "$TMP/lean" --python "$TMP/bare"
expect_err 'neither torch nor numpy can be imported; interpreter: /.*python3.* \(OPSWEEP_PYTHON, --python\)'
