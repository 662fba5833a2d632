# tests/shell/test_report.sh - the formats of opsweep report, and --anonymize

make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'JSON'
{"correctness": ["((T([4, 8], f32), 2.0), {})"],
 "performance": ["((T([4096], f32), -0.5), {})"]}
JSON
cat >"$TMP/ops/scale/scale_loud.c" <<'C'
#include <stdio.h>

#include <opsweep/op.h>

int scale_kernel_impl(const osw_call *call)
{
    (void)call;
    fprintf(stderr, "/home/alice/k.c:3: ]]> <b> & \x01 | `a` @bob alice\n");
    return OSW_ERROR;
}
C
cp "$TMP/ops/scale/scale_plain.c" "$TMP/ops/scale/scale_again.c"
file=$TMP/run.h5
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile smoke -n 2 \
    --baseline plain -o "$file"

# --- a table, Markdown ------------------------------------------
expect_exit 1 "$OPSWEEP" report "$file"
cp "$TMP/out" "$TMP/table"
expect_exit 1 "$OPSWEEP" report "$file" --format text
expect_same_file "$TMP/table" "$TMP/out"
expect_grep '^scale\.default +4 +2 +0 +again [0-9.]+x vs plain' "$TMP/table"
expect_grep '^speedup vs plain +geomean [0-9.]+x over 1 cell of 1 op; [01] faster, [01] slower, [01] open$' "$TMP/table"
expect_exit 1 "$OPSWEEP" report "$file" --all
expect_out '^  again +2 +2 +0 +0 +0  [0-9.]+x vs plain \(1\)'
expect_out '^  plain +2 +2 +0 +0 +0  the baseline \(1\)'
expect_exit 1 "$OPSWEEP" report "$file" --format markdown
expect_out '^\| .scale\.default. \| .again. \|.*\| [0-9.]+x vs plain \| 1 \|'
expect_out '^\*\*complete\*\*: 6 cells planned, 4 pass, 2 error$'
expect_out '^\| correctness \(BackendBench\) \| 0\.667 \| 2 of 3 operators'
expect_out '^\| cells that pass, strict \| 0\.667 \| 4 of 6 planned cells \|$'
expect_out 'returned \| .scale\.default. \| .loud. \| .\(\(T\(\[4, 8\], f32\), 2'

# --- JUnit: valid XML, its sums are those of its testcases --------------------
expect_exit 1 "$OPSWEEP" report "$file" --format junit -o "$TMP/junit.xml"
python3 - "$TMP/junit.xml" <<'PY'
import sys, xml.etree.ElementTree as ET
root = ET.parse(sys.argv[1]).getroot()
def sums(cases):
    return {"tests": len(cases),
            "failures": sum(c.find("failure") is not None for c in cases),
            "errors": sum(c.find("error") is not None for c in cases),
            "skipped": sum(c.find("skipped") is not None for c in cases)}
for suite in [root] + root.findall("testsuite"):
    cases = list(suite.iter("testcase"))
    assert {k: int(suite.get(k)) for k in sums(cases)} == sums(cases)
cases = list(root.iter("testcase"))
assert sums(cases) == {"tests": 6, "failures": 0, "errors": 2, "skipped": 0}
names = [(c.get("classname"), c.get("name")) for c in cases]
assert len(set(names)) == 6, names
bad = [c for c in cases if c.find("error") is not None]
assert {c.get("classname") for c in bad} == {"scale.default.loud"}
assert bad[0].find("error").get("type") == "returned"
out = bad[0].find("system-out").text
assert out == "/home/alice/k.c:3: ]]> <b> & \ufffd | `a` @bob alice\n", repr(out)
PY

# --- BackendBench's four files, and that their scores follow from them ---------
expect_exit 2 "$OPSWEEP" report "$file" --format backendbench
expect_err "format 'backendbench' is a folder of files: name it with '--output'"
expect_exit 2 "$OPSWEEP" report "$file" --format backendbench -o "$TMP/no/bb"
expect_err "cannot make the folder '.*/no/bb'"
expect_exit 1 "$OPSWEEP" report "$file" --format backendbench -o "$TMP/bb"
expect_exit 1 "$OPSWEEP" report "$file" --format backendbench -o "$TMP/bb"
expect_equal 'OVERALL_SUMMARY.md failed_tests.json full_results.json operator_summary.csv' \
    "$(cd "$TMP/bb" && echo *)" 'files'
expect_exit 1 "$OPSWEEP" report "$file" --format json -o "$TMP/r.json"
python3 - "$TMP/bb" "$TMP/r.json" <<'PY'
import csv, json, math, sys
bb, report = sys.argv[1], json.load(open(sys.argv[2]))
full = json.load(open(bb + "/full_results.json"))
failed = json.load(open(bb + "/failed_tests.json"))
ops = list(csv.DictReader(open(bb + "/operator_summary.csv", newline="")))
correct, speed = {}, {}
for t in full:
    assert t["test_type"] in ("correctness", "performance"), t
    if t["test_type"] == "correctness":
        correct.setdefault(t["op_name"], []).append(t["is_correct"])
    else:
        assert t["successfully_ran"] == (t["speedup"] is not None)
        speed.setdefault(t["op_name"], []).append(t["speedup"] or 1.0)
geomean = {k: math.exp(sum(map(math.log, v)) / len(v)) for k, v in speed.items()}
assert sorted(correct) == ["scale.default__again", "scale.default__loud",
                           "scale.default__plain"], correct
s = report["scores"]
assert s["n_operators"] == len(correct) == len(ops) == 3
assert s["n_operators_correct"] == sum(all(v) for v in correct.values()) == 2
assert s["n_performance_tests"] == sum(map(len, speed.values()))
if geomean:
    perf = math.exp(sum(map(math.log, geomean.values())) / len(geomean))
    assert abs(perf / s["backendbench_performance"] - 1) < 1e-9
for at in s["at"]:
    assert at["n_operators_above"] == sum(
        all(correct[k]) and geomean.get(k, 0) > at["p"] for k in correct)
    assert at["n_cells_above"] == sum(
        c["status"] == "pass" and c["impl"] != c["baseline"] and
        (c["speedup"] or 0) > at["p"]
        for c in report["cells"])
for o in ops:
    k = o["operator"]
    assert int(o["correctness_tests"]) == len(correct[k])
    assert int(o["passed_correctness_tests"]) == sum(correct[k])
    assert int(o["performance_tests"]) == len(speed.get(k, []))
    if k in geomean:
        assert abs(float(o["geomean_speedup"]) / geomean[k] - 1) < 1e-6
assert [t for t in full if t.get("is_correct") is False or
        t.get("successfully_ran") is False] == failed
print("%d tests, %d failed, %d timed operators" % (len(full), len(failed), len(geomean)))
PY

# --- without names ------------------------------------------------------------
host=$(uname -n)
for format in text markdown csv json junit; do
    expect_exit 1 "$OPSWEEP" report "$file" --anonymize --format $format
    expect_no_grep "alice|$TMP|(^|[^A-Za-z0-9_])$host([^A-Za-z0-9_]|\$)" "$TMP/out"
    expect_no_grep '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}' "$TMP/out"
    expect_err '^opsweep: anonymized: names of hosts: [1-9][0-9]*, of users: [0-9]+; paths: [1-9][0-9]*; UUIDs: 1; addresses: 0;'
done
expect_exit 1 "$OPSWEEP" report "$file" --anonymize -f backendbench -o "$TMP/bb2"
! grep -rE "alice|$TMP" "$TMP/bb2" || fail 'names in the four files'
# the same search finds them where they are left in
expect_exit 1 "$OPSWEEP" report "$file" --format json
expect_grep alice "$TMP/out"
expect_grep "$TMP" "$TMP/out"
expect_grep '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}' "$TMP/out"

# --- bad input, by name and in every format -----------------------------------
: >"$TMP/empty.h5"
echo 'op,impl' >"$TMP/foreign.h5"
head -c 5000 "$file" >"$TMP/cut.h5"
python_h5 - "$file" "$TMP" <<'PY'
import shutil, sys, h5py
src, tmp = sys.argv[1:]
for name, change in (
        ("old", lambda f: f.attrs.modify("schema_version", [0, 9])),
        ("other", lambda f: f.attrs.modify("schema", "somebody.else")),
        ("bare", lambda f: f.attrs.__delitem__("schema")),
        ("norows", lambda f: f.__delitem__("results"))):
    path = "%s/%s.h5" % (tmp, name)
    shutil.copy(src, path)
    with h5py.File(path, "r+") as f:
        change(f)
PY
bad_file() { # NAME REGEX
    local format
    for format in text markdown csv json junit backendbench; do
        expect_exit 2 "$OPSWEEP" report "$TMP/$1.h5" --format $format \
            -o "$TMP/bad.$1"
        expect_err "$1\.h5' $2"
        expect_no_file "$TMP/bad.$1" "$TMP"/bad.*.tmp.*
    done
}
bad_file empty 'is empty'
bad_file foreign 'is no HDF5 file'
bad_file cut 'is truncated'
bad_file old 'has schema version 0\.9, this program reads 1\.x'
bad_file other "is no result file: attribute 'schema' is not 'opsweep\.results'"
bad_file bare "is no result file: attribute 'schema' is not 'opsweep\.results'"
bad_file norows 'is damaged: /results/cell has 0 values'

# --- typos --------------------------------------------------------------------
for flag in --formt=csv --anonymise --outptu=x --fail-onn=fail; do
    expect_exit 2 "$OPSWEEP" report "$file" "$flag"
    expect_err "${flag%%=*}"
done
expect_exit 2 "$OPSWEEP" report "$file" --format mrkdown
expect_err "expected one of text, markdown, csv, json, junit, backendbench, html; found 'mrkdown' \\(did you mean 'markdown'\\?\\)"
