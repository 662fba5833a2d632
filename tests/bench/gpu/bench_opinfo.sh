#!/bin/bash
# tests/bench/gpu/bench_opinfo.sh - suite opinfo, bf16, through torch's own
# operators: on one GPU and, where there are two, on both
#
#   bench_opinfo.sh [WORKERS...]
#
# WORKERS (4) on each GPU, REPEATS (3) times in turns.  Rates are of the tests
# that a worker is given after its first ones, with which it loads torch's
# operators, in the time from then until the last test of all ends: an average
# over workers.  Which tests these are differs; so the gain is told of those
# that come after the first ones on one GPU and on two: what they take of all
# workers' time, and their part of the wait for the last test.  The first round
# compiles what the others find.
#
# runs alone: on two GPUs, too, and with as many workers as there are cores
# takes 200 s
# stopped after 600 s
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
. tests/gpus.sh
opsweep=${OPSWEEP:-./opsweep}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-opinfo.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
gpus=$(n_visible_gpus)
[ "$gpus" -gt 0 ] || { echo "skip: no GPU here"; exit 77; }
"${OPSWEEP_PYTHON:-python3}" -c 'import torch' 2>/dev/null || { echo "skip: no torch here"; exit 77; }
[ $# -gt 0 ] || set -- 4

sweep() { # GPUS WORKERS
    local t0 t1
    t0=$(date +%s.%N)
    CUDA_VISIBLE_DEVICES=$(visible_gpus | head -n "$1" | paste -sd ,) "$opsweep" run --suite opinfo \
        --backend aten --device cuda --profile correct --share-gpus \
        -n $(($1 * $2 + 1)) --seed 1 -f -o "$tmp/o.h5" >"$tmp/log" 2>&1 ||
        [ $? -eq 1 ] || { tail -n 5 "$tmp/log"; exit 1; }
    t1=$(date +%s.%N)
    "$opsweep" report "$tmp/o.h5" --fail-on none --format csv -o "$tmp/$1.csv"
    tests/bench/gpu/opinfo_rates.py "$tmp/$1.csv" "$1" "$2" "$t0" "$t1"
}

for workers in "$@"; do
    for i in $(seq 0 "${REPEATS:-3}"); do
        [ "$i" -gt 0 ] || echo "first, not warm:"
        sweep 1 "$workers"
        [ "$gpus" -lt 2 ] || {
            sweep 2 "$workers"
            tests/bench/gpu/opinfo_rates.py "$tmp/1.csv" "$tmp/2.csv"
        }
    done
done
