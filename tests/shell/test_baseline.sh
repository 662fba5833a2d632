# --baseline aten and compile: torch's own operator as one implementation more,
# and what speedups are relative to.
#
# takes 15 s

# An op that torch has no name for; also a name that does not exist.
expect_exit 2 "$OPSWEEP" plan --custom-ops-root tests/fixtures/check \
    --baseline aten
expect_err "'--baseline': op 'add_.default' has no name of torch's for 'aten'"
expect_err "expected \"name\": \"aten.<op>.<overload>\" in .*/add_/op.json"
expect_exit 2 "$OPSWEEP" plan --suite smoke --ops relu --baseline atem
expect_err "no chosen op has an implementation 'atem'"

# Planned beside the others, also where cases come from a trace in the folder.
mkdir -p "$TMP/root/abs"
cat >"$TMP/root/abs/op.json" <<'J'
{"name": "aten.abs.default", "schema": "abs(Tensor self) -> Tensor"}
J
cat >"$TMP/root/abs/gen_input.json" <<'J'
{"correctness": [{"trace": "calls.txt"}],
 "performance": ["((T([200000], f32),), {})"]}
J
cat >"$TMP/root/abs/calls.txt" <<'T'
Operator: aten.abs.default
cnt: 3, ((T([32, 7], f32),), {})
T
cat >"$TMP/root/abs/abs_reference.c" <<'C'
#include <math.h>
#include <opsweep/elements.h>

int abs_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    double *exact = y ? osw_output_exact(call, 0) : NULL;

    for (int64_t i = 0; exact && i < osw_numel(x); i++)
        exact[i] = fabs(osw_get(x, i));
    return exact ? 0 : OSW_ERROR;
}
C
cat >"$TMP/root/abs/abs_plain.c" <<'C'
#include <math.h>
#include <opsweep/elements.h>

int abs_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    for (int64_t i = 0; y && i < osw_numel(x); i++)
        osw_set(y, i, fabs(osw_get(x, i)));
    return y ? 0 : OSW_ERROR;
}
C
expect_exit 0 "$OPSWEEP" plan --custom-ops-root "$TMP/root" --baseline compile
expect_out "compile"

# One that fails while it is timed is none: the next of the list is.
mkdir -p "$TMP/ends"
cp -r "$TMP/root/abs" "$TMP/ends/"
echo '{"name": "aten.abs.default", "schema": "abs(Tensor self) -> Tensor", "baseline": ["mine", "plain"]}' \
    >"$TMP/ends/abs/op.json"
sed -i 's/200000/2000/' "$TMP/ends/abs/gen_input.json"
cp "$TMP/ends/abs/abs_plain.c" "$TMP/ends/abs/abs_other.c"
sed 's/^{/{\n    static int n;\n    if (++n > 60)\n        abort();/; 1i #include <stdlib.h>' \
    "$TMP/ends/abs/abs_plain.c" >"$TMP/ends/abs/abs_mine.c"
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/ends" -n 1 --device cpu \
    --profile smoke --seed 1 -o "$TMP/ends.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/ends.h5" --format csv -o "$TMP/ends.csv"
python3 - "$TMP/ends.csv" <<'PY'
import csv, sys

timed = {r["impl"]: r for r in csv.DictReader(open(sys.argv[1]))
         if "2000" in r["case"]}
assert timed["mine"]["status"] == "crash", timed["mine"]
assert timed["mine"]["speedup"] == "", timed["mine"]["speedup"]
for impl in "plain", "other":
    r = timed[impl]
    assert (r["status"], r["baseline"]) == ("pass", "plain"), r
    assert 0.1 < float(r["speedup"]) < 10, r["speedup"]
PY

OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: baselines of torch's are planned, not run"
export OPSWEEP_PYTHON
# torch.compile came with torch 2, and an import takes a second.
torch=$("$OPSWEEP_PYTHON" -c 'import importlib.metadata
print(int(int(importlib.metadata.version("torch").split(".")[0]) >= 2))')
for baseline in aten compile; do
    rc=0
    [ $baseline.$torch = compile.0 ] && rc=1
    expect_exit $rc "$OPSWEEP" run --custom-ops-root "$TMP/root" -n 1 \
        --baseline $baseline --device cpu --profile smoke --seed 1 \
        -o "$TMP/$baseline.h5"
    expect_exit $rc "$OPSWEEP" report "$TMP/$baseline.h5" --format csv \
        -o "$TMP/$baseline.csv"
    # No other implementation's cells need torch's to be wanted.
    expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/root" -n 1 \
        --baseline $baseline --impls plain --device cpu --profile smoke \
        --seed 1 -o "$TMP/alone_$baseline.h5"
    expect_exit 0 "$OPSWEEP" report "$TMP/alone_$baseline.h5" --format csv \
        -o "$TMP/alone_$baseline.csv"
done
python3 - "$TMP" "$torch" <<'PY'
import csv, sys

folder, torch = sys.argv[1], sys.argv[2] == "1"

def rows(name):
    return list(csv.DictReader(open("%s/%s.csv" % (folder, name), newline="")))

for baseline in "aten", "compile":
    able = baseline == "aten" or torch
    for r in rows(baseline) + rows("alone_" + baseline):
        print(r["impl"], r["case"], r["status"], r["baseline"], r["speedup"],
              r["reason"])
        timed = "200000" in r["case"]
        # The next in the list of baselines stands in for one that cannot run.
        assert r["baseline"] == (timed and (baseline if able else "plain") or "")
        if r["impl"] == baseline:
            assert r["status"] == ("pass" if able else "load"), r["status"]
            assert able or "torch.compile needs torch 2" in r["reason"]
        else:
            assert (r["impl"], r["status"]) == ("plain", "pass")
        assert bool(r["speedup"]) == (timed and r["status"] == "pass")
    assert {r["impl"] for r in rows(baseline)} == {"plain", baseline}
    assert {r["impl"] for r in rows("alone_" + baseline)} == {"plain"}
PY
torch_said="with torch.compile"
[ "$torch" = 1 ] || torch_said="without torch.compile (torch < 2): it ends as load"
echo "$torch_said"

# A baseline that is right on the case's own inputs only is none; the next one in the
# list, which was not chosen itself, is judged on these and stands in for it.
make_op "$TMP/next"
echo '{"performance": ["((T([200000], f32), 2.0), {})", "((T([333], f32), 2.0), {})"]}' \
    >"$TMP/next/scale/gen_input.json"
echo '{"baseline": ["first", "second"]}' >"$TMP/next/scale/op.json"
cp "$TMP/next/scale/scale_plain.c" "$TMP/next/scale/scale_second.c"
sed 's/^int scale/static float seen;\n\n&/
    s/^    for/    if (seen == 0)\n        seen = *(const float *)osw_data(x);\n    a += seen != *(const float *)osw_data(x);\n&/' \
    "$TMP/next/scale/scale_plain.c" >"$TMP/next/scale/scale_first.c"
run_to_csv next --custom-ops-root "$TMP/next" --device cpu -n 1 --profile smoke \
    --impls first,plain || true
python3 - "$TMP/next.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert len(rows) == 4
for r in rows:
    print(r["impl"], r["case"], r["status"], r["baseline"], r["speedup"], r["reason"])
    if r["impl"] == "plain":
        assert (r["status"], r["baseline"]) == ("pass", "second") and r["speedup"]
    else:
        assert r["status"] in ("value", "stale")
PY

# Each phase is counted once, also where calls are verified while they are timed.
python_h5 tests/shell/phases.py "$TMP/next.h5" "$TMP/ends.h5"
