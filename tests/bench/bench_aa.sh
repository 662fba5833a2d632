#!/bin/bash
# tests/bench/bench_aa.sh - A/A: implementations against copies of themselves
#
# 20 ops x 3 cases.  A speedup of identical code must be 1.00 within its stated
# interval, as often as the interval claims (95 %).  PROFILE=sweep|precise.  Fails
# where so many intervals miss 1.00 that it is no chance.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
profile=${PROFILE:-sweep}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-aa.XXXXXX")
trap "rm -rf $tmp" EXIT

tests/bench/aa_root.py "$tmp/root"

start=$(date +%s)
./opsweep run --suite custom_ops --custom-ops-root "$tmp/root" --impls copy \
    -n 2 --threads 1 --profile "$profile" -o "$tmp/aa.h5" >/dev/null 2>"$tmp/log" ||
    { cat "$tmp/log"; exit 1; }
end=$(date +%s)
./opsweep report "$tmp/aa.h5" --format csv -o "$tmp/aa.csv"
python3 - "$tmp/aa.csv" "$profile" $((end - start)) <<'PY'
import csv, statistics, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
timed = [(float(r["speedup"]), float(r["speedup_lo"]), float(r["speedup_hi"]),
          r["op"], r["case"]) for r in rows if r["speedup_lo"]]
holds = [t for t in timed if t[1] <= 1 <= t[2]]
half = sorted((hi - lo) / 2 / s for s, lo, hi, _, _ in timed)
print("A/A, profile %s, one thread, %s s" % (sys.argv[2], sys.argv[3]))
print("%-44s %d of %d (%d planned)" % ("intervals that hold 1.00", len(holds),
                                       len(timed), len(rows)))
print("%-44s %.2f %%" % ("half width of the interval, median",
                         100 * statistics.median(half)))
print("%-44s %.2f .. %.2f %%" % ("half width, smallest and largest",
                                 100 * half[0], 100 * half[-1]))
print("%-44s %.3f .. %.3f" % ("speedups, smallest and largest",
                              min(timed)[0], max(timed)[0]))
for s, lo, hi, op, case in timed:
    if not lo <= 1 <= hi:
        print("  misses 1.00: %.4f [%.4f, %.4f] %s %s" % (s, lo, hi, op, case))
if len(timed) < 0.9 * 60:
    sys.exit("%d of 60 cells have a speedup" % len(timed))
if len(holds) < 0.85 * len(timed):  # of 60, by chance once in a thousand runs
    sys.exit("%d of %d intervals hold 1.00, expected 95 %%" % (len(holds), len(timed)))
PY
