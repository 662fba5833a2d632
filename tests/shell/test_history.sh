# opsweep history: what changed over many campaigns, since which, and what else
# changed there.  One campaign runs; the others are made of its file with times
# of their own (campaigns.py), so nothing depends on how long anything takes.
#
# takes 15 s

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
python3 - >"$root/gen_input.json" <<'PY'
import json
cases = ["((T([%d], f32),), {})" % n for n in range(64, 94)]
print(json.dumps({"correctness": cases, "performance": cases}))
PY
OPSWEEP_REVISION=r1 expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/root" \
    --device cpu --profile correct -n 1 --threads 1 -o "$TMP/src.h5"

campaigns() { # FOLDER N [WORD...]
    local folder=$TMP/$1
    shift
    python_h5 tests/shell/campaigns.py "$TMP/src.h5" "$folder" "$@"
}

history() { # EXIT [ARGUMENT...]
    local code=$1
    shift
    expect_exit "$code" "$OPSWEEP" history "$@"
}

# Noise, and changes that all cells share, are no findings.
campaigns plain 12
history 0 "$TMP/plain"
expect_out "^12 campaigns, 2026-01-01T03:00:00Z to 2026-01-12T03:00:00Z; 30 cells, 30 series"
expect_out "^30 of 30 cells judged before are in the newest campaign"
expect_out "^  nothing changed"

# A step and a failure, each with its campaign and what changed there; files in
# any order.
campaigns step 14 slow=2-4:8:1.10 revision=8:r2 source=8:twice_plain.c \
    fail=10:9:value driver=9:590.1
history 1 $(ls -r "$TMP"/step/*.h5)
expect_out "^  regressed +3 "
expect_out "^  newly-failing +1 "
expect_out "^  since 2026-01-09T03:00:00Z .*/c08.h5, before that 2026-01-08T03:00:00Z .*/c07.h5: ops r1 -> r2"
expect_out "^ +\+(9|10)\.[0-9] % .* twice.default/plain \(\(T\(\[66\], f32\),\), \{\}\)  source twice_plain.c [0-9a-f]{12} -> twice_plain.c abababababab"
expect_out "^  since 2026-01-10T03:00:00Z .*/c09.h5, before that .*/c08.h5"
expect_out "^ +pass -> value  twice.default/plain .*T\(\[74\], f32\).*  driver unknown -> 590.1"
history 0 "$TMP/step" --fail-on none
history 1 "$TMP/step" --fail-on regressed
history 0 "$TMP/step" --fail-on drifted,shift,place
history 0 "$TMP/step" --cell 'twice.default/plain/((T([8*'
history 0 "$TMP/step" --cell 'twice.*/plain/((T([7?], f32),), {})' --fail-on regressed
expect_out "; 10 cells, "
history 3 "$TMP/step" --cell 'twice.*/fast'
history 0 "$TMP/step" --last 5 --fail-on regressed # steps are older than that
expect_out "^5 campaigns, 2026-01-10"
history 2 "$TMP/step" --last 0
expect_err "option '--last': expected a whole number from 1 to 2\^64 - 1, found '0'"

# Cells of campaigns that are left out by --last do not count.
expect_exit 0 "$OPSWEEP" run --ops relu --device cpu --profile correct -n 1 \
    -o "$TMP/old.h5"
python_h5 - "$TMP/old.h5" <<'PY'
import sys, h5py
with h5py.File(sys.argv[1], "r+") as f:
    f.attrs.modify("created_utc", "2025-12-31T03:00:00Z")
PY
history 1 "$TMP/old.h5" "$TMP/step"
expect_out "^15 campaigns, .*; 3[1-9] cells, "
history 0 "$TMP/old.h5" "$TMP/step" --last 5 --fail-on regressed
expect_out "^5 campaigns, .*; 30 cells, "

# A file without a cell: what is empty is named.
python_h5 tests/shell/no_cells.py "$TMP/old.h5" "$TMP/bare.h5"
history 3 "$TMP/step/c00.h5" "$TMP/bare.h5"
expect_err "'.*bare.h5' has no judged cell$"
expect_exit 3 "$OPSWEEP" compare "$TMP/bare.h5" "$TMP/step/c00.h5"
expect_err "'.*bare.h5' has no judged cell$"
for cell in 0 relu.default/x 0x0123456789abcdef; do
    expect_exit 2 "$OPSWEEP" show "$TMP/bare.h5" "$cell"
    expect_err "'.*bare.h5' has no cell$"
done
for format in text markdown; do
    expect_exit 4 "$OPSWEEP" report "$TMP/bare.h5" -f $format
    expect_no_grep "^(\| )?op " "$TMP/out"
done

# All formats say the same.
history 1 "$TMP/step" -f json -o "$TMP/h.json"
history 1 "$TMP/step" -f csv -o "$TMP/h.csv"
history 1 "$TMP/step" -f markdown --limit 2
expect_out "^#### regressed: 3 "
expect_out "^and 1 more"
expect_out "^\| \*\*since 2026-01-09T03:00:00Z "
python3 - "$TMP/h.json" "$TMP/h.csv" <<'PY'
import csv, json, sys
h = json.load(open(sys.argv[1]))
assert h["format"] == "opsweep.history" and h["version"] == 1
assert h["counts"]["regressed"] == 3 and h["counts"]["newly-failing"] == 1, h["counts"]
assert len(h["campaigns"]) == 14 and h["campaigns"][8]["revision"] == "r2"
f = [f for f in h["findings"] if f["kind"] == "regressed"]
assert all(x["since_file"].endswith("c08.h5") and .08 < x["effect"] < .12 for x in f)
assert all(x["effect_lo"] < x["effect"] < x["effect_hi"] < x["effect_lo"] + .03 for x in f), f
assert all("ops r1 -> r2, source twice_plain.c" in x["changed"] for x in f), f
assert all(type(x[n]) is int for x in f for n in ("n_before", "n_after", "n_cells")), f
rows = list(csv.DictReader(open(sys.argv[2], newline="")))
assert [r["kind"] for r in rows] == [x["kind"] for x in h["findings"]]
assert [r["cell_key"] for r in rows] == [x["cell_key"] for x in h["findings"]]
PY

# One bad node: all its cells, or some; it is told once, and is no regression.
campaigns node 15 node=3:1.10:0-9
history 0 "$TMP/node"
expect_out "^place: 1 "
expect_out "^ +10 of 30 cells (9|10)\.[0-9] % slower  sick"
expect_no_grep "regressed|slower of late" "$TMP/out"
history 1 "$TMP/node" --fail-on place
campaigns nodes 15 node=3:1.10:all
history 0 "$TMP/nodes"
expect_out "^ +30 of 30 cells (9|10)\.[0-9] % slower  sick"
# The same with a bad commit beside it: each is reported as what it is.
campaigns both 15 node=3:1.10:0-9 slow=20-21:7:1.08
history 1 "$TMP/both"
expect_out "^ +10 of 30 cells .* slower  sick"
expect_out "^regressed: 2 "

# All cells from a campaign on: not a regression of each.
campaigns shift 15 slow=all:9:1.08 driver=9:590.1
history 1 "$TMP/shift"
expect_out "^shift: 1 "
expect_out "all cells on .*  driver unknown -> 590.1"
history 0 "$TMP/shift" --max-shift 10
expect_out "^shifted: 1 "

# A drift of 1 % a campaign is a drift, one of half a percent by its baseline.
campaigns drift 20 drift=5-6:1
history 1 "$TMP/drift"
expect_out "^drifted: 2 "
expect_out "in 20 campaigns  twice.default/plain .*T\(\[69\], f32\)"
campaigns creep 30 drift=5-6:0.5
history 0 "$TMP/creep" --last 5
history 1 "$TMP/creep" --last 5 --baseline "$TMP/creep/c00.h5"
expect_out "^drifted: 2 "
expect_out "^  now 2026-02-02T03:00:00Z .*, baseline 2026-01-01T03:00:00Z "

# One launch is a suspicion; what came and went is mended.
campaigns once 12 once=3:11:1.2 once=4:6:1.2
history 0 "$TMP/once"
expect_out "^slower: 1 "
expect_no_grep "regressed" "$TMP/out"
history 1 "$TMP/once" --fail-on slower

# Other hardware is never joined.
campaigns models 14 slow=all:7:1.5 model=7:H300
history 0 "$TMP/models"
expect_out "a series of its own, newest campaign '.*c06.h5'"
campaigns lonely 8 slow=all:7:1.5 model=7:H300
history 3 "$TMP/lonely"
expect_err "no cell was judged before '.*c07.h5', the newest campaign, on the same model of device"

# Known failures do not count until they expire; those without a match are
# named.
known() { # KEY=VALUE of entries, as JSON
    printf '{"format": "opsweep.known", "version": 1, "entries": [%s]}' "$1" \
        >"$TMP/known.json"
}
step='{"cell": "twice.default/plain", "kind": "regressed", "most": 12, "reason": "rounds right since r2", "expires": "2026-03-31"}'
fails='{"cell": "twice.*/plain/((T([74]*", "kind": "newly-failing", "reason": "being looked at", "expires": "2026-03-31"}'
history 2 "$TMP/step" --known "$TMP/no-such.json"
expect_err "option '--known': no file '.*/no-such.json'"
stale='{"cell": "add.default/*", "kind": "any", "reason": "was slow", "expires": "2026-12-31"}'
known "$step, $fails, $stale"
history 0 "$TMP/step" --known "$TMP/known.json" --date 2026-03-31
expect_out "^known: 4 "
expect_out "rounds right since r2, until 2026-03-31"
expect_out "known: entry 2, 'add.default/\*': nothing of it is there any more"
history 1 "$TMP/step" --known "$TMP/known.json" --date 2026-04-01
expect_out "known: entry 0, 'twice.default/plain', expired on 2026-03-31 and counts again: rounds right"
expect_out "^regressed: 3 "
known "$(sed 's/"most": 12/"most": 5/' <<<"$step"), $fails"
history 1 "$TMP/step" --known "$TMP/known.json" --date 2026-03-31
expect_out "^regressed: 3 "
# A node and its GPU, each with an entry: both are found.
campaigns gpus 15 gpu=3:1.10:0-9
history 1 "$TMP/gpus" --fail-on place
node='{"place": "node", "kind": "place", "reason": "is old", "expires": "2026-12-31"}'
gpu=${node/'"node"'/'"GPU-sick"'}
for entries in "$gpu" "$node, $gpu"; do
    known "$entries"
    history 0 "$TMP/gpus" --known "$TMP/known.json" --date 2026-03-31 --fail-on place
    expect_out "is old, until 2026-12-31"
    expect_no_grep "nothing of it is there any more" "$TMP/out"
done
known "${step/reason/raeson}"
history 2 "$TMP/step" --known "$TMP/known.json"
expect_err "known.json: key 'entries\[0\].raeson': unknown key \(did you mean 'reason'"
printf '{"format":' >"$TMP/known.json"
history 2 "$TMP/step" --known "$TMP/known.json"
expect_err "known.json:1:"
history 2 "$TMP/step" --known "$TMP/nowhere.json"

# Files with too few common cells never pass, nor does a single campaign.
history 3 "$TMP/plain/c00.h5"
expect_err "expected two campaigns and more .*, found 1"
expect_exit 0 "$OPSWEEP" run --ops relu --device cpu --profile correct -n 1 \
    -o "$TMP/other.h5"
history 3 "$TMP/plain" "$TMP/other.h5"
expect_err "0 of the 30 cells judged before are in the newest campaign, '.*h5', on"
history 3 "$TMP/plain" --cell aten.nosuch
expect_err "option '--cell': no judged cell .* matches 'aten.nosuch', expected OP/IMPL"
campaigns gone 5 fail=0-4:4:skipped
history 1 "$TMP/gone"
expect_out "^gone: 5 "
history 3 "$TMP/gone" --min-common 90

# Neither is a cell that ran on another model this time, nor one that was lost; of
# one that is gone for longer nothing is said any more.
campaigns mixed 6 mixed=0-9:2:H100
history 0 "$TMP/mixed"
expect_out "^  nothing changed"
expect_out "^30 of 30 cells judged before are in the newest campaign"
campaigns lost 5 fail=0-4:4:lost
history 4 "$TMP/lost"
expect_out "c04.h5': 5 cells were lost: opsweep run --resume"
expect_no_grep '^gone' "$TMP/out"
expect_exit 4 "$OPSWEEP" compare --threshold 50 "$TMP/lost/c03.h5" "$TMP/lost/c04.h5"
expect_out "5 cells of the new file were lost"
campaigns past 7 fail=3:3:value fail=3:5:skipped
history 0 "$TMP/past"
expect_out "1 change of cells that the newest campaign does not have: left out"
history 1 "$TMP"/past/c0[0-5].h5
expect_out "^gone: 1 "

# Files that are not result files or come twice, and folders without any.
mkdir "$TMP/empty" "$TMP/bad"
history 3 "$TMP/empty"
expect_err "folder '.*/empty': expected result files"
history 0 "$TMP/plain" "$TMP/plain/c03.h5"
expect_out "c03.h5' is named twice"
cp "$TMP/plain/c03.h5" "$TMP/again.h5"
history 2 "$TMP/plain" "$TMP/again.h5"
expect_err "c03.h5' and '.*again.h5' are of the same campaign, 00000003-"
head -c 5000 "$TMP/plain/c00.h5" >"$TMP/bad/cut.h5"
: >"$TMP/bad/none.h5"
echo text >"$TMP/bad/text.h5"
for bad in cut none text; do
    history 2 "$TMP/plain" "$TMP/bad/$bad.h5"
    expect_err "$bad.h5.*; --skip-bad goes on without it"
done
history 2 "$TMP/plain" "$TMP/missing.h5"
expect_err "cannot open '.*missing.h5'"
history 0 "$TMP/plain" "$TMP/bad" --skip-bad
expect_out "left out: '.*cut.h5'"
expect_out "left out: '.*none.h5' is empty"
history 3 "$TMP/plain/c00.h5" "$TMP/bad/none.h5" "$TMP/bad/text.h5" --skip-bad
expect_err "found 1; left out: '.*none.h5' is empty, .*; left out: '.*text.h5'"
python_h5 - "$TMP/plain/c05.h5" "$TMP/bad/old.h5" "$TMP/bad/new.h5" <<'PY'
import shutil, sys
import h5py
src, old, new = sys.argv[1:]
for path, version, uuid in ((old, [1, 0], "a"), (new, [2, 0], "b")):
    shutil.copy(src, path)
    with h5py.File(path, "r+") as f:
        f.attrs.modify("schema_version", version)
        f.attrs.modify("run_uuid", uuid * 8)
        for name in ("sources", "results/timer_id", "devices/uuid"):
            del f[name]
PY
history 0 "$TMP/plain" "$TMP/bad/old.h5"
history 2 "$TMP/plain" "$TMP/bad/new.h5"
expect_err "new.h5' has schema version 2.0, this program reads 1.x"

# A merged file keeps its sources, and is not counted beside its runs.
expect_exit 0 "$OPSWEEP" merge --keep last "$TMP/merged.h5" "$TMP/plain/c00.h5" \
    "$TMP/plain/c01.h5"
history 2 "$TMP/plain" "$TMP/merged.h5"
expect_err "are of the same campaign, 0000000"
history 0 "$TMP/merged.h5" "$TMP/plain/c02.h5" "$TMP/plain/c03.h5"
expect_out "merged.h5' is merged of 2 runs: it counts as one"
python_h5 - "$TMP/src.h5" "$TMP/merged.h5" <<'PY'
import sys
import h5py
a, b = (h5py.File(f) for f in sys.argv[1:])
for k in ("op", "file", "sha256"):
    assert list(a["sources"][k]) == list(b["sources"][k]), k
assert "twice_plain.c" in a["sources/file"].asstr()[:]
env = dict(zip(a["provenance/env_key"].asstr()[:], a["provenance/env_value"].asstr()[:]))
assert env["OPSWEEP_REVISION"] == "r1"
PY

# The revision is git's, where the ops lie in a repository.
if command -v git >/dev/null; then
    (cd "$TMP/root" && git init -q . && git add . &&
        git -c user.name=n -c user.email=e commit -qm c)
    unset OPSWEEP_REVISION
    for state in "" +; do
        expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/root" --device cpu \
            --profile correct -n 1 --force -o "$TMP/git.h5"
        python_h5 - "$TMP/git.h5" \
            "$(git -C "$TMP/root" rev-parse --short=12 HEAD)$state" <<'PY'
import sys
import h5py
f = h5py.File(sys.argv[1])
env = dict(zip(f["provenance/env_key"].asstr()[:], f["provenance/env_value"].asstr()[:]))
assert env["OPSWEEP_REVISION"] == sys.argv[2], (env, sys.argv)
PY
        echo >>"$TMP/root/twice/twice_plain.c"
    done
fi

# Words that are none.
for option in --baselin=x --knwon=x --dat=2026-01-01 --date=2026-02-30 --cel=x \
    --cell= --lst=3 --last=x --skipbad --formt=text --format=xml --outptu=x \
    --limt=3 --threshhold=2 --threshold=-1 --max-shft=1 --max-shift=-1 \
    --min-comon=1 --min-common=101 --fail-om=none --fail-on=slow; do
    history 2 "$TMP/plain" "$option"
    expect_err "${option%%=*}|${option#*=}"
done
history 2
history 2 "$TMP/plain" --baseline "$TMP/bad/cut.h5"
expect_exit 0 "$OPSWEEP" help
expect_out "history"
