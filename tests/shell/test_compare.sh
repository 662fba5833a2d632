# opsweep compare: what changed between two result files, and that --fail-on can
# fail.  Nothing here depends on how long anything takes: factors are large, or
# thresholds are.
#
# takes 35 s

root=$TMP/root/twice
mkdir -p "$root"
cp tests/fixtures/ops/twice/twice_reference.c tests/fixtures/ops/twice/twice.h \
    tests/fixtures/ops/twice/op.json "$root/"
cat >"$root/twice_plain.c" <<'C'
#include "twice.h"

int twice_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = twice_input(call);
    const osw_tensor *y = twice_output(call);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        osw_set(y, i, 2 * osw_get(x, i));
    return 0;
}
C

cases() { # N: so many sizes
    python3 - "$1" >"$root/gen_input.json" <<'PY'
import json, sys
cases = ["((T([%d], f32),), {})" % n for n in range(4096, 4096 + int(sys.argv[1]))]
print(json.dumps({"correctness": cases, "performance": cases}))
PY
}

sweep() { # EXIT FILE [OPTION...]
    local code=$1 file=$2
    shift 2
    expect_exit "$code" "$OPSWEEP" run --custom-ops-root "$TMP/root" \
        --device cpu --profile smoke -n 1 --threads 1 -o "$TMP/$file.h5" "$@"
}

# Each cell is timed in twelve fresh processes or more: as few as show it.
cases 12
sweep 0 base
sweep 0 same

# Of the same code nothing but times can differ, which are not looked at here.
loose=(--max-shift 1000 --threshold 1000)
expect_exit 0 "$OPSWEEP" compare "${loose[@]}" "$TMP/base.h5" "$TMP/same.h5"
expect_out "^12 of 12 cells judged in the base are in the new file, 12 with times"
expect_out "^ +same +12 "
expect_no_grep '^times: change' "$TMP/out"

# Times of another device are not compared, and a gate on them does not pass.
cp "$TMP/same.h5" "$TMP/model.h5"
python_h5 - "$TMP/model.h5" <<'PY'
import sys, h5py
with h5py.File(sys.argv[1], "r+") as f:
    names = f["dict/device"].asstr()[:]
    names[1] = "Other | GPU"
    f["dict/device"][...] = names
PY
expect_exit 3 "$OPSWEEP" compare "${loose[@]}" "$TMP/base.h5" "$TMP/model.h5"
expect_out '^12 of 12 cells .* 0 with times that can be compared, 12 with times that cannot$'
expect_out '^  .* -> Other \| GPU  twice.default/plain '
expect_err '0 of 12 times in both can be compared .* expected 50 % of them'
expect_exit 0 "$OPSWEEP" compare --min-common 0 "$TMP/base.h5" "$TMP/model.h5"
expect_exit 0 "$OPSWEEP" compare --min-common 0 -f markdown "$TMP/base.h5" "$TMP/model.h5"
expect_out '^\| .* -&#62; Other &#124; GPU \| twice'

# Nor are those of a device that failed afterwards; whatever reads them says so.
cp "$TMP/same.h5" "$TMP/failed.h5"
python_h5 - "$TMP/failed.h5" <<'PY'
import sys, h5py
with h5py.File(sys.argv[1], "r+") as f:
    f["results/suspect"][:5] = 1
    f.attrs.modify("seed", 5)
PY
expect_exit 0 "$OPSWEEP" compare "${loose[@]}" "$TMP/base.h5" "$TMP/failed.h5"
expect_out '^12 of 12 cells .* 7 with times that can be compared, 5 with times that cannot$'
expect_out '^5 cells of the new file are suspect: the device failed afterwards$'
expect_out '^seed: 0, now 5$'
expect_out '^  its device failed afterwards in the new file  twice.default/plain '
expect_exit 0 "$OPSWEEP" history "$TMP/base.h5" "$TMP/failed.h5" --fail-on none
expect_out "failed.h5': 5 cells are suspect, without times here"
expect_exit 0 "$OPSWEEP" report "$TMP/failed.h5"
expect_out '^suspect   5 cells, counted above: the device failed afterwards$'
expect_exit 0 "$OPSWEEP" report "$TMP/failed.h5" -f markdown
expect_out '^- \*\*5 cells are suspect\*\*'
expect_exit 0 "$OPSWEEP" report "$TMP/failed.h5" -f json
expect_out '"n_suspect": 5'
expect_exit 0 "$OPSWEEP" report "$TMP/failed.h5" -f html
expect_out '<b>5 cells are suspect</b>'

# A comparison can fail: everything three times as slow, and a fifth of it.
expect_exit 1 "$OPSWEEP" compare "$TMP/base.h5" "$TMP/same.h5" --inject 3
expect_out "all cells together are [0-9.]+ % slower"
expect_out '^times: change, its 95 % interval, medians, noise between launches, cell$'
expect_exit 0 "$OPSWEEP" compare "${loose[@]}" "$TMP/base.h5" "$TMP/same.h5" \
    --inject 3
injected=(--inject 40 --inject-share 40 --max-shift 1000 --threshold 300)
cp "$TMP/base.h5" "$TMP/steady.h5"
python_h5 tests/shell/calm_times.py "$TMP/steady.h5"
expect_exit 1 "$OPSWEEP" compare "${injected[@]}" "$TMP/base.h5" "$TMP/same.h5"
expect_out "^ +regressed +[0-9]+ "
expect_exit 1 "$OPSWEEP" compare "${injected[@]}" "$TMP/steady.h5" "$TMP/steady.h5"
expect_out "^ +regressed +[0-9]+ " # so far that it needs no runs in turns
expect_no_grep '^undecided' "$TMP/out"

# What is not clear from one launch each is undecided: one line says what
# decides it.  Here nothing is known of single samples, and no other load makes
# times uncertain.
python_h5 - "$TMP/base.h5" "$TMP/same.h5" <<'PY'
import sys
import h5py
for path in sys.argv[1:]:
    with h5py.File(path, "r+") as f:
        for name, ns in (("median", 5000), ("ci_lo", 4990), ("ci_hi", 5010),
                         ("p95", float("nan"))):
            f["results/t_%s_ns" % name][:] = ns
PY
expect_exit 0 "$OPSWEEP" compare "${injected[@]}" "$TMP/base.h5" "$TMP/same.h5"
expect_out "^undecided: [0-9]+ of 12 times looks? changed; opsweep compare $TMP/base\.h5 $TMP/same\.h5 --confirm 5 decides$"
expect_equal 1 "$(grep -c undecided: "$TMP/out")"
expect_exit 1 "$OPSWEEP" compare "${injected[@]}" "$TMP/base.h5" "$TMP/same.h5" \
    --fail-on slower --format json -o "$TMP/c.json" --emit-campaign "$TMP/e.json"
# On a busy machine three rounds may not show even that: then once more.
decides() {
    expect_exit 1 "$OPSWEEP" compare "${injected[@]}" "$TMP/base.h5" "$TMP/same.h5" \
        --confirm 3 --format json -o "$TMP/d.json"
    python3 - "$TMP/c.json" "$TMP/d.json" <<'PY'
import json, sys
before, after = (json.load(open(f))["counts"] for f in sys.argv[1:])
sys.exit(after["regressed"] != before["slower"])
PY
}
decides || decides || decides
expect_err "confirming: round 1 of [0-9]+, base: [0-9]+ cells?$"
expect_err "confirming: round 2 of [0-9]+, new: [0-9]+ cells?$"
awk '/confirming: round/ {
    sub(/.*round /, ""); sub(/at most /, ""); if ($1 + 0 > $3 + 0) exit 1
}' "$TMP/err" || fail "a round beyond the last: $(cat "$TMP/err")"
expect_exit 0 "$OPSWEEP" run "$TMP/e.json" -o "$TMP/e.h5"
n=$(sed -nE 's/^.*e\.h5: ([0-9]+) cells.*/\1/p' "$TMP/out")
python3 - "$n" "$TMP/c.json" "$TMP/d.json" <<'PY'
import json, sys

before, after = (json.load(open(f)) for f in sys.argv[2:])
counts = before["counts"], after["counts"]
assert before["format"] == "opsweep.compare" and before["version"] == 2
assert before["n_undecided"] == before["counts"]["slower"] and after["n_undecided"] == 0
assert 1 <= counts[0]["slower"] <= 8, counts
assert counts[0]["same"] == 12 - counts[0]["slower"], counts
assert counts[1]["regressed"] == counts[0]["slower"], counts
assert counts[1]["slower"] == 0 and after["n_confirm"] >= 3, counts
assert int(sys.argv[1]) == counts[0]["slower"], "the campaign has those and no other"
slow = [{c["cell_key"] for c in f["cells"] if c["kind"] == k}
        for f, k in ((before, "slower"), (after, "regressed"))]
assert slow[0] == slow[1]
assert all(c["effect"] > 3 for c in after["cells"] if c["kind"] == "regressed")
PY

# The noise between launches is the device's own if the file has it.
cp "$TMP/base.h5" "$TMP/floor.h5"
python_h5 - "$TMP/floor.h5" <<'PY'
import sys
import h5py
with h5py.File(sys.argv[1], "r+") as f:
    n = len(f["devices/name"])
    f["devices/launch_ns"][:] = [0.0] * n
    f["devices/launch_part"][:] = [0.5] * n
PY
expect_exit 0 "$OPSWEEP" compare "${loose[@]}" "$TMP/floor.h5" "$TMP/same.h5" \
    --format json -o "$TMP/f.json"
python3 - "$TMP/f.json" "$TMP/c.json" <<'PY'
import json, sys
own, table = ({c["noise"] for c in json.load(open(f))["cells"]} for f in sys.argv[1:])
assert all(abs(n - 0.5) < 1e-6 for n in own), own
assert all(n < 0.052 for n in table), table
PY

# Merged files: each run is confirmed by its own campaign, with its own folders.
mkdir "$TMP/far"
cp -r "$TMP/root" "$TMP/far/root"
mv "$TMP/far/root/twice/twice_plain.c" "$TMP/far/root/twice/twice_other.c"
far() { # FILE
    expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/far/root" --device cpu \
        --profile smoke -n 1 --threads 1 --seed 5 -o "$TMP/$1.h5"
}
far far1
far far2
python_h5 - "$TMP/far1.h5" "$TMP/far2.h5" <<'PY'
import sys
import h5py
for path in sys.argv[1:]:
    with h5py.File(path, "r+") as f:
        f["results/t_p95_ns"][:] = float("nan")
PY
expect_exit 0 "$OPSWEEP" merge "$TMP/m1.h5" "$TMP/base.h5" "$TMP/far1.h5"
expect_exit 0 "$OPSWEEP" merge "$TMP/m2.h5" "$TMP/same.h5" "$TMP/far2.h5"
expect_exit 1 "$OPSWEEP" compare "${injected[@]}" "$TMP/m1.h5" "$TMP/m2.h5" \
    --fail-on slower --format json -o "$TMP/c.json"
expect_exit 1 "$OPSWEEP" compare "${injected[@]}" "$TMP/m1.h5" "$TMP/m2.h5" \
    --confirm 3 --format json -o "$TMP/d.json"
expect_exit 1 "$OPSWEEP" compare "${injected[@]}" "$TMP/m1.h5" "$TMP/far2.h5" \
    --min-common 40 --confirm 3 --format json -o "$TMP/half.json"
python3 - "$TMP/c.json" "$TMP/d.json" "$TMP/half.json" <<'PY'
import json, sys

slow, settled, half = (
    {(c["impl"], c["cell_key"]) for c in json.load(open(f))["cells"]
     if c["kind"] == kind}
    for f, kind in zip(sys.argv[1:], ("slower", "regressed", "regressed")))
assert slow == settled and {i for i, _ in slow} == {"plain", "other"}, (slow, settled)
assert half == {c for c in slow if c[0] == "other"}, half
PY
expect_exit 2 "$OPSWEEP" compare "${injected[@]}" "$TMP/m1.h5" "$TMP/m2.h5" \
    --emit-campaign "$TMP/none.json"
expect_err "m2\.h5': what looks changed is of 2 of the runs that were merged, and a campaign is of one: option '--emit-campaign' needs their files one by one"
expect_no_file "$TMP/none.json"
# What is missing is named, with the run that it is missing for.
mv "$TMP/far" "$TMP/farther"
expect_exit 2 "$OPSWEEP" compare "${injected[@]}" "$TMP/m1.h5" "$TMP/m2.h5" --confirm 3
expect_no_grep 'confirming' "$TMP/err" # nothing has run before
expect_err "m1\.h5', run 2 \('.*far1\.h5'\): its op folders '.*/far/root': No such file or directory; --base-root DIR says where they are"
expect_exit 1 "$OPSWEEP" compare "${injected[@]}" "$TMP/far1.h5" "$TMP/far2.h5" \
    --confirm 3 --base-root "$TMP/farther/root" --new-root "$TMP/farther/root"
rm "$TMP/farther/root/twice/twice_other.c"
expect_exit 2 "$OPSWEEP" compare "${injected[@]}" "$TMP/far1.h5" "$TMP/far2.h5" \
    --confirm 3 --base-root "$TMP/farther/root" --new-root "$TMP/farther/root"
expect_no_grep 'confirming' "$TMP/err"
expect_err "far1\.h5': option '--cells': the suite and the other filters leave no cell 0x[0-9a-f]{16}; --base-root DIR names op folders as they were"

# Verdicts, and cells that are missing in the new file.
sed -i 's/2 \* osw_get/3 * osw_get/' "$root/twice_plain.c"
sweep 1 wrong
expect_exit 1 "$OPSWEEP" compare "$TMP/base.h5" "$TMP/wrong.h5" --format markdown --limit 2
expect_out "newly-failing: 12 "
expect_out "^\| pass -> value \| twice.default/plain"
expect_out "^and 10 more"
expect_exit 0 "$OPSWEEP" compare "$TMP/wrong.h5" "$TMP/base.h5"
expect_out "newly-passing +12 "
sed -i 's/3 \* osw_get/2 * osw_get/' "$root/twice_plain.c"
cases 10
sweep 0 fewer
expect_exit 1 "$OPSWEEP" compare "${loose[@]}" "$TMP/base.h5" "$TMP/fewer.h5"
expect_out "gone: 2 "
expect_exit 0 "$OPSWEEP" compare "${loose[@]}" "$TMP/fewer.h5" "$TMP/base.h5"
expect_out "^ +new +2 "

# Too little in common, or nothing, is never green.
expect_exit 3 "$OPSWEEP" compare --min-common 90 "$TMP/base.h5" "$TMP/fewer.h5"
expect_err "10 of the base's 12 judged cells are in both, expected 90 %"
# Of a file that is incomplete more may come: what it has is compared.
cp "$TMP/fewer.h5" "$TMP/part.h5"
python_h5 - "$TMP/part.h5" <<'PY'
import sys, h5py
with h5py.File(sys.argv[1], "r+") as f:
    f.attrs["complete"] = type(f.attrs["complete"])(0)
PY
expect_exit 4 "$OPSWEEP" compare "${loose[@]}" --min-common 90 "$TMP/base.h5" "$TMP/part.h5"
expect_out "^10 of 12 cells judged in the base are in the new file"
expect_exit 0 "$OPSWEEP" run --ops relu --device cpu --profile correct -n 1 \
    -o "$TMP/other.h5"
expect_exit 3 "$OPSWEEP" compare "$TMP/base.h5" "$TMP/other.h5"

# Files that are not result files, and unknown words.
head -c 5000 "$TMP/base.h5" >"$TMP/cut.h5"
: >"$TMP/empty.h5"
echo text >"$TMP/text.h5"
for bad in cut empty text missing; do
    expect_exit 2 "$OPSWEEP" compare "$TMP/base.h5" "$TMP/$bad.h5"
    expect_err "$bad.h5"
    expect_exit 2 "$OPSWEEP" compare "$TMP/$bad.h5" "$TMP/base.h5"
done
both=("$TMP/base.h5" "$TMP/same.h5")
for option in --formt=text --format=xml --markdwn --outptu=x --limt=3 \
    --threshhold=2 --threshold=-1 --margn=1 --margin=-1 --max-shft=1 --min-comon=1 --min-common=101 \
    --fail-om=none --fail-on=slow --confrim=1 --base-rot=x --new-rot=x \
    --emit-campain=x --inject=0 --injct=1 --inject-shar=1 --inject-share=200 \
    --inject-share=50; do
    expect_exit 2 "$OPSWEEP" compare "${both[@]}" "$option"
    expect_err "${option%%=*}|${option#*=}"
done
expect_exit 2 "$OPSWEEP" compare "$TMP/base.h5"
