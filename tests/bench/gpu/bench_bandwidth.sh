#!/bin/bash
# tests/bench/gpu/bench_bandwidth.sh - how much of the memory's speed the
# memory-bound ops of the library reach
#
#   bench_bandwidth.sh [OP...]
#
# One campaign over cases of more than 256 MiB (bandwidth_roots.py), every
# result judged, then timed.  A line for each implementation and case: median
# time, bytes that have to move, TB/s, and how much of the fastest copy of the
# runtime (clone by memcpy, flat) that is; `<` marks what is below 90 %, and
# the summary names what of others is faster than `fast`.
# A campaign over small cases compiles all files first.
#   KEEP=FOLDER   leave result file, tables and log there
#   PROFILE=NAME  how hard to measure (smoke)
#
# takes 150 s
# stopped after 600 s
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
opsweep=${OPSWEEP:-./opsweep}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-bandwidth.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
[ -e /dev/nvidiactl ] || { echo "skip: no GPU here"; exit 77; }

sweep() { # FILE [OPTION...]
    local file=$1
    shift
    "$opsweep" run --device cuda --suite custom_ops \
        --custom-ops-root "$tmp/root" -n 1 --force --max-work 1000 \
        -o "$file.h5" "$@" >"$file.log" 2>&1
}

tests/bench/gpu/bandwidth_roots.py "$tmp/root" "$@"
t0=$(date +%s.%N)
sweep "$tmp/build" --profile correct --max-bytes 512M || true
t1=$(date +%s.%N)
sweep "$tmp/run" --profile "${PROFILE:-smoke}" || true
t2=$(date +%s.%N)
tail -n 1 "$tmp/run.log"
"$opsweep" report "$tmp/run.h5" --fail-on none --format csv -o "$tmp/run.csv"
tests/bench/gpu/bandwidth_table.py "$tmp/root/cases.json" "$tmp/run.csv" |
    tee "$tmp/table.txt"
awk -v a="$t0" -v b="$t1" -v c="$t2" 'BEGIN {
    printf "building %.1f s, campaign %.1f s\n", b - a, c - b }'
if [ -n "${KEEP:-}" ]; then
    mkdir -p "$KEEP"
    cp "$tmp"/run.* "$tmp"/build.log "$tmp"/table.txt "$KEEP"
fi
