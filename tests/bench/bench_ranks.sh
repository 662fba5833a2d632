#!/bin/bash
# tests/bench/bench_ranks.sh - parallel efficiency: 2 workers against 1
#
# The demo's cases, verdicts only, one thread a worker, whole commands with
# start and end, in turn.  Efficiency is T(1) / (2 T(2)).  REPEATS=3
set -eu -o pipefail
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-ranks.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trace=tests/data/traces/hf_train/BertForMaskedLM_training.txt

sweep() { # RANKS
    local start end
    start=$(date +%s%N)
    ./opsweep run --traces "$trace" -n "$1" --threads 1 --profile correct \
        --max-work 3 --force -o "$tmp/$1.h5" >/dev/null 2>"$tmp/log" ||
        { cat "$tmp/log"; exit 1; }
    end=$(date +%s%N)
    echo $((end - start))
}

sweep 3 >/dev/null # fills the build cache
for _ in $(seq "${REPEATS:-3}"); do
    echo "$(sweep 2) $(sweep 3)"
done | python3 -c '
import statistics, sys

pairs = [tuple(float(x) * 1e-9 for x in line.split()) for line in sys.stdin]
one, two = zip(*pairs)
efficiency = [a / (2 * b) for a, b in pairs]
print("demo, verdicts only, 1 thread a worker, %d repeats" % len(pairs))
for name, values, unit in [("1 worker", one, "s"), ("2 workers", two, "s"),
                           ("parallel efficiency", efficiency, "")]:
    print("%-44s %6.2f %s (%.2f .. %.2f)" % (
        name, statistics.median(values), unit, min(values), max(values)))
'
