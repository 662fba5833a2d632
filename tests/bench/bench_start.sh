#!/bin/bash
# tests/bench/bench_start.sh - from the command to the first judged cell, by ranks
#
# WORKERS="4 16 64" worker ranks on this machine, however few cores it has, on a
# tiny op whose code is compiled already, REPEATS=3 times each: seconds until a
# cell begins, until every worker has judged one, and until the command ends.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-start.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
OPSWEEP=${OPSWEEP:-build/opsweep}
export XDG_CACHE_HOME=$tmp/cache
. tests/shell/lib.sh
. tests/shell/slow_op.sh
python=$(python_with h5py) || { echo 'no python3 with h5py'; exit 77; }

# start WORKERS: prints them, and the three times in seconds
start() {
    local begun
    rm -rf "$tmp/ops"
    make_slow_op "$tmp/ops" $((8 * $1)) 50
    begun=$(date +%s%N)
    "$OPSWEEP" run --custom-ops-root "$tmp/ops" --impls slow --profile correct --threads 1 \
        -n $(($1 + 1)) --force -o "$tmp/run.h5" >"$tmp/log" 2>&1 ||
        { cat "$tmp/log" >&2; exit 1; }
    "$python" - "$tmp/run.h5" "$1" "$begun" "$(date +%s%N)" <<'PY'
import sys
import h5py

path, workers, begun, ended = sys.argv[1], *(int(w) for w in sys.argv[2:])
with h5py.File(path) as f:
    ranks, starts = f['results']['rank'][:], f['results']['t_start_ns'][:]
first = {}
for rank, start in zip(ranks, starts):
    if rank > 0:
        first[rank] = min(start, first.get(rank, start))
print(workers, len(first), *(1e-9 * (t - begun) for t in (
    min(first.values()), max(first.values()), ended)))
PY
}

start 1 >/dev/null # fills the build cache
for n in ${WORKERS:-4 16 64}; do
    for _ in $(seq "${REPEATS:-3}"); do start "$n"; done
done | python3 -c '
import statistics, sys

each = {}
for line in sys.stdin:
    workers, judged, *times = line.split()
    each.setdefault(int(workers), []).append([int(judged)] + [float(t) for t in times])
print("%7s  %20s  %20s  %20s  %s" % ("workers", "first cell, s", "a cell of each, s", "end, s", "workers that judged"))
for workers, rows in each.items():
    judged, *times = zip(*rows)
    print("%7d  %s  %d" % (workers, "  ".join("%8.2f (%.2f .. %.2f)" % (
        statistics.median(t), min(t), max(t)) for t in times), min(judged)))
'
