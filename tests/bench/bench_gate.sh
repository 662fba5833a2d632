#!/bin/bash
# tests/bench/bench_gate.sh - compare --confirm on campaigns that ran
#
# PAIRS (20) pairs of campaigns of 60 cells over the same code, each campaign
# against the one before it: `compare` with its default flags must exit with 0,
# `compare --confirm 5` (CONFIRM=0: left out) must find nothing regressed or
# improved.  DEVICE=cuda: kernels of the library instead of C.
#
# SLOW="5 10 20": then PLANTED (PAIRS) campaigns for each percentage in which
# six cells (10 %) really work for so much longer, against the last of the same
# code, and (INJECT=0: left out) the same by `--inject` in 5 % of the cells: what
# share does `--confirm 5` find?  Cells whose floor and interval are a third of
# the slowdown or less are counted apart: the noise of the others hides it.
#
# UNSURE=1: --confirm decides cells, too, that one run each is too noisy to tell.
#
# LIMIT (none): no planted campaign begins more than so many seconds after the
# first.
#
# CASES (3): sizes of each of the 20 ops; 100 make campaigns of 2,000 cells.
# OPS=relu,tanh,...: some of the ops.
#
# The machine's load stands beside every pair: above 0.5 per core it is noise.
#
# takes 180 s
# stopped after 600 s
set -eu -o pipefail
cd "$(dirname "$0")/../.."
opsweep=${OPSWEEP:-./opsweep}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
pairs=${PAIRS:-20}
device=${DEVICE:-cpu}
slow=${SLOW:-}
planted=${PLANTED:-$pairs}
with_confirm=${CONFIRM:-1}
with_inject=${INJECT:-1}
unsure=(${UNSURE:+--unsure})
. tests/bench/load.sh
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-gate.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

make_root() { # ROOT [OPTION...]
    tests/bench/aa_root.py "$tmp/$1" --device "$device" ${OPS:+--ops "$OPS"} "${@:2}"
    "$opsweep" build --device "$device" -j "$(nproc)" "$tmp/$1" >"$tmp/log" 2>&1 ||
        { cat "$tmp/log"; exit 1; }
}

sweep() { # ROOT FILE
    "$opsweep" run --suite custom_ops --custom-ops-root "$tmp/$1" \
        --device "$device" --impls copy -n 1 --threads 1 \
        --profile "${PROFILE:-smoke}" --force -o "$2" >/dev/null \
        2>"$tmp/log" || { cat "$tmp/log"; exit 1; }
}

compare() { # BASE NEW OUT [OPTION...]
    local base=$1 new=$2 out=$3
    shift 3
    "$opsweep" compare "$base" "$new" --format json --limit 1000 \
        --fail-on none -o "$out" "$@" 2>"$tmp/log" ||
        { cat "$tmp/log"; exit 1; }
}

say() { # what was done, and what it came to: FILE WORDS...
    local file=$1
    shift
    python3 - "$file" "$@" >&2 <<'PY'
import json, sys
n = {k: v for k, v in json.load(open(sys.argv[1]))["counts"].items() if v}
print(*sys.argv[2:], n, flush=True)
PY
}

start=$(date +%s)
cases=${CASES:-3}
sizes=$(python3 -c "
n, least, most = $cases, 6, 10 # 2^least .. 2^most rows of 256
print(*[256 * round(2 ** (least + (most - least) * i / max(n - 1, 1)))
        for i in range(n)], sep=',')")
small=(--sizes "$sizes") # of C
if [ "$device" != cpu ]; then
    small=()
    # 5 % must be more than a microsecond, and the steps of a GPU's clock
    [ -z "$slow" ] || small=(--sizes 16777216,25165824,33554432)
fi
as_planted=(${slow:+--slower 0})
make_root root "${small[@]}" "${as_planted[@]}"
sweep root "$tmp/0.h5"
echo "compiled, and a campaign to warm up: $(($(date +%s) - start)) s" >&2
start=$(date +%s)
sweep root "$tmp/0.h5"
echo "a campaign: $(($(date +%s) - start)) s" >&2
for i in $(seq "$pairs"); do
    sweep root "$tmp/$i.h5"
    at=$(date +%s)
    rc=0
    "$opsweep" compare "$tmp/$((i - 1)).h5" "$tmp/$i.h5" >/dev/null 2>&1 || rc=$?
    echo "$rc" >>"$tmp/exits"
    n=0
    compare "$tmp/$((i - 1)).h5" "$tmp/$i.h5" "$tmp/aa-0-$i.json"
    if [ "$with_confirm" = 1 ]; then
        n=5
        compare "$tmp/$((i - 1)).h5" "$tmp/$i.h5" "$tmp/aa-5-$i.json" --confirm 5 "${unsure[@]}"
    fi
    now=$(date +%s)
    say "$tmp/aa-$n-$i.json" "pair $i of $pairs, $((now - start)) s," \
        "$((now - at)) of them comparing, exit code $rc, load $(load_of_machine):"
done
spent=$(($(date +%s) - start))
for percent in $slow; do
    make_root "slow$percent" "${small[@]}" --slower "$percent"
    sweep "slow$percent" "$tmp/slow.h5"
done
start=$(date +%s)
for i in $(seq "$planted"); do
    for percent in $slow; do
        [ $(($(date +%s) - start)) -lt "${LIMIT:-1000000000}" ] || continue
        sweep "slow$percent" "$tmp/slow.h5"
        compare "$tmp/$(((i - 1) % pairs + 1)).h5" "$tmp/slow.h5" "$tmp/planted-$percent-$i.json" \
            --confirm 5 "${unsure[@]}"
        [ "$with_inject" != 1 ] ||
            compare "$tmp/$((i - 1)).h5" "$tmp/$i.h5" \
                "$tmp/inject-$percent-$i.json" --confirm 5 "${unsure[@]}" --inject-share 5 \
                --inject "$(python3 -c "print(1 + $percent / 100)")"
        say "$tmp/planted-$percent-$i.json" "$percent % slower, pair $i," \
            "load $(load_of_machine):"
    done
done

python3 - "$tmp" "$pairs" "$spent" "$device" $slow <<'PY'
import collections
import glob
import json
import pathlib
import sys

tmp, pairs, spent, device = sys.argv[1:5]


def comparisons(name):
    return [json.load(open(f)) for f in sorted(glob.glob(f"{tmp}/{name}-*.json"))]


def injected(key):
    """As results/compare/compare.c chooses cells, by their keys."""
    key = int(key, 16)
    mixed = (key ^ key >> 29) * 0x9e3779b97f4a7c15 % 2**64
    return (mixed >> 11) * 2.0**-53 < 0.05


exits = collections.Counter(pathlib.Path(f"{tmp}/exits").read_text().split())
print("A/A on %s, default flags: exit code 0 in %d of %s pairs (%s)" %
      (device, exits["0"], pairs, dict(exits)))


def is_quiet(cell, slower):
    """The interval of its effect is a third of the slowdown at most."""
    if cell["effect_hi"] is None: # in fewer rounds than an interval needs
        return False
    half = (cell["effect_hi"] - cell["effect_lo"]) / 2
    return half <= slower / 3


for name, words in (("aa-0", "one run each"), ("aa-5", "confirmed")):
    n = collections.Counter()
    for c in comparisons(name):
        n.update(c["counts"])
    cells = sum(n.values())
    alarms = n["regressed"] + n["improved"]
    looks = n["slower"] + n["faster"]
    print("A/A on %s, %s pairs of campaigns, %-13s %d of %d cells (%.2f %%) "
          "regressed or improved, %d (%.1f %%) look changed: %s" %
          (device, pairs, words + ":", alarms, cells, 100 * alarms / max(cells, 1),
           looks, 100 * looks / max(cells, 1), dict(+n)))


def say_alarms(name, is_false):
    """The cells that changed, of those that should not."""
    for c in comparisons(name):
        for cell in c["cells"]:
            if cell["kind"] in ("regressed", "improved") and is_false(cell):
                ends = [float("nan") if cell[e] is None else 100 * cell[e]
                        for e in ("effect_lo", "effect_hi")]
                print("  %s %+.1f %% (%+.1f .. %+.1f %% in %d rounds) %s %s" %
                      (cell["kind"], 100 * cell["effect"], *ends,
                       c["n_confirm"], cell["op"], cell["case"]))


say_alarms("aa-5", lambda cell: True)
print("%s s" % spent)
for percent in sys.argv[5:]:
    cases = json.loads(pathlib.Path(f"{tmp}/slow{percent}/planted.json").read_text())
    names = {(op.split("__")[0].strip("_"), case) for op, case in cases}

    def planted(cell):
        op = cell["op"].split(".")[1].strip("_")
        return (op, cell["case"]) in names

    for name, chosen in (("planted", planted),
                         ("inject", lambda cell: injected(cell["cell_key"]))):
        n, others = collections.Counter(), collections.Counter()
        quiet, found = 0, 0
        for c in comparisons(f"{name}-{percent}"):
            for cell in c["cells"]:
                (n if chosen(cell) else others)[cell["kind"]] += 1
                if chosen(cell) and is_quiet(cell, float(percent) / 100):
                    quiet += 1
                    found += cell["kind"] == "regressed"
        if not n:
            continue
        total, rest = sum(n.values()), sum(others.values())
        alarms = others["regressed"] + others["improved"]
        say_alarms(f"{name}-{percent}", lambda cell: not chosen(cell))
        print("%s %% slower, %-8s of quiet cells %d of %d (%.0f %%)" %
              (percent, name + ":", found, quiet, 100 * found / max(quiet, 1)))
        print("%s %% slower, %-8s %d of %d cells (%.0f %%) found regressed: %s; "
              "%d of %d others (%.2f %%) regressed or improved" %
              (percent, name + ":", n["regressed"], total,
               100 * n["regressed"] / max(total, 1), dict(n), alarms, rest,
               100 * alarms / max(rest, 1)))
PY
