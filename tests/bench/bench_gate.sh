#!/bin/bash
# tests/bench/bench_gate.sh - false alarms of the gate, on campaigns that ran
#
# PAIRS (20) pairs of campaigns of 60 cells over the same code, one behind the
# other: `compare --confirm` must find nothing regressed or improved.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
pairs=${PAIRS:-20}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-gate.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

sweep() { # FILE
    ./opsweep run --suite custom_ops --custom-ops-root "$tmp/root" \
        --impls copy -n 2 --threads 1 --profile "${PROFILE:-smoke}" --force \
        -o "$1" >/dev/null 2>"$tmp/log" || { cat "$tmp/log"; exit 1; }
}

tests/bench/aa_root.py "$tmp/root"
sweep "$tmp/warm.h5"
start=$(date +%s)
for i in $(seq "$pairs"); do
    sweep "$tmp/base.h5"
    sweep "$tmp/new.h5"
    for confirm in 0 5; do
        ./opsweep compare "$tmp/base.h5" "$tmp/new.h5" --format json \
            --confirm $confirm --fail-on none -o "$tmp/$i-$confirm.json" \
            2>"$tmp/log" || { cat "$tmp/log"; exit 1; }
    done
done
end=$(date +%s)
python3 - "$pairs" $((end - start)) "$tmp"/*-?.json <<'PY'
import collections
import json
import sys

for confirm, name in (("0", "one run each"), ("5", "confirmed")):
    n = collections.Counter()
    for path in sys.argv[3:]:
        if path.endswith("-%s.json" % confirm):
            n.update(json.load(open(path))["counts"])
    cells = sum(n.values())
    alarms = n["regressed"] + n["improved"]
    print("A/A, %s pairs of campaigns, %-12s %d of %d cells (%.2f %%) "
          "regressed or improved: %s" % (sys.argv[1], name + ":", alarms, cells,
                                         100 * alarms / max(cells, 1), dict(n)))
print("%s s" % sys.argv[2])
PY
