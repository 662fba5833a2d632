#!/bin/bash
# tests/bench/bench_resume.sh - a resume after kill -9 of all ranks, against one after a stop
#
# CASES=1000 tiny cases of 4 implementations that wait for 5 ms a call, on
# WORKERS=8, REPEATS=3 times: cut off half-way by SIGTERM, and by kill -9 of every rank; then the time of
# --resume per 1,000 cells that were left, and how many of them were suspects.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-resume.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cases=${CASES:-1000} workers=${WORKERS:-8} OPSWEEP=${OPSWEEP:-build/opsweep}
export XDG_CACHE_HOME=$tmp/cache
. tests/shell/lib.sh
. tests/shell/slow_op.sh

make_slow_op "$tmp/ops" "$cases" 5
rm "$tmp/ops/scale/scale_plain.c" "$tmp/ops/scale/scale_wrong.c"
for name in b c d; do
    cp "$tmp/ops/scale/scale_slow.c" "$tmp/ops/scale/scale_$name.c"
done

# cut_off TERM|KILL FILE: a run of it, once half of the results are on disk
cut_off() {
    local pid n=0
    "$OPSWEEP" run --custom-ops-root "$tmp/ops" --profile correct --threads 1 \
        -n $((workers + 1)) -o "$2" >"$tmp/log" 2>&1 &
    pid=$!
    while [ "$n" -lt $((2 * cases)) ] && kill -0 $pid 2>/dev/null; do
        sleep 0.1
        n=$(results "$2")
    done
    if [ "$1" = TERM ]; then
        kill -TERM $pid
    else
        # shellcheck disable=SC2046
        kill -9 $(pgrep -P "$(ps -o ppid= -p "$(coordinator "$2")" | tr -d ' ')" opsweep)
    fi
    wait $pid || true
    [ -e "$2.journal" ] || [ "$1" = TERM ] || fail 'it was done before it was cut off'
}

# resume FILE: prints seconds, cells that were left, and suspects
resume() {
    local start left suspects
    start=$(date +%s%N)
    "$OPSWEEP" run --resume "$1" >"$tmp/log" 2>&1 || { cat "$tmp/log" >&2; exit 1; }
    left=$(sed -n 's/.*resume: \([0-9]*\) of [0-9]* cells are left.*/\1/p' "$tmp/log")
    suspects=$(sed -n 's/.*resume: \([0-9]*\) of them may have.*/\1/p' "$tmp/log")
    echo "$(($(date +%s%N) - start)) $left ${suspects:-0}"
}

for i in $(seq "${REPEATS:-3}"); do
    for how in TERM KILL; do
        cut_off $how "$tmp/$how$i.h5"
        echo "$how $(resume "$tmp/$how$i.h5")"
    done
done | tee "$tmp/times" | sed 's/^/  /' >&2
python3 - "$tmp/times" "$workers" <<'PY'
import statistics, sys

each = {'TERM': [], 'KILL': []}
suspects = []
for line in open(sys.argv[1]):
    how, ns, left, n = line.split()
    each[how].append(int(ns) * 1e-6 / int(left))
    if how == 'KILL':
        suspects.append(int(n))
stop, kill = (statistics.median(each[h]) for h in ('TERM', 'KILL'))
print('%s workers, %d repeats' % (sys.argv[2], len(suspects)))
print('resume after SIGTERM          %6.2f s per 1,000 cells (%.2f .. %.2f)'
      % (stop, min(each['TERM']), max(each['TERM'])))
print('resume after kill -9 of all   %6.2f s per 1,000 cells (%.2f .. %.2f)'
      % (kill, min(each['KILL']), max(each['KILL'])))
print('the second against the first  %6.2f' % (kill / stop))
print('suspects                      %6d (%d .. %d)'
      % (statistics.median(suspects), min(suspects), max(suspects)))
PY
