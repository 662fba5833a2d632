#!/bin/bash
# tests/bench/gpu/bench_opinfo.sh - suite opinfo, bf16, through torch's own
# operators: on one GPU and, where there are two, on both
#
#   bench_opinfo.sh [WORKERS...]
#
# WORKERS (4) on each GPU, REPEATS (3) times in turns.  Rates are of the tests
# that a worker is given behind its first ones, with which it loads torch's
# operators, in the time from then until the last test of all ends: an average
# over workers.  Which tests these are differs; so the gain is told of those
# that are behind the first ones on one GPU and on two: what they take of all
# workers' time, and their part of the wait for the last test.  The first round
# compiles what the others find.
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
opsweep=${OPSWEEP:-./opsweep}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-opinfo.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
[ -e /dev/nvidiactl ] || { echo "skip: no GPU here"; exit 0; }
gpus=$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)
[ $# -gt 0 ] || set -- 4

sweep() { # GPUS WORKERS
    local t0 t1
    t0=$(date +%s.%N)
    CUDA_VISIBLE_DEVICES=$(seq -s , 0 $(($1 - 1))) "$opsweep" run --suite opinfo \
        --backend aten --device cuda --profile correct --share-gpus \
        -n $(($1 * $2 + 1)) --seed 1 -f -o "$tmp/o.h5" >"$tmp/log" 2>&1 ||
        [ $? -eq 1 ] || { tail -n 5 "$tmp/log"; exit 1; }
    t1=$(date +%s.%N)
    "$opsweep" report "$tmp/o.h5" --fail-on none --format csv -o "$tmp/$1.csv"
    python3 - "$tmp/$1.csv" "$1" "$2" "$t0" "$t1" <<'PY'
import collections, csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
ran = [r for r in rows if r["rank"] != "-1"]
by_rank = collections.defaultdict(list)
for r in ran:
    by_rank[r["rank"]].append((float(r["t_start_ns"]) * 1e-9,
                               float(r["wall_ns"]) * 1e-9))
end = max(t + wall for v in by_rank.values() for t, wall in v)
ready = {}  # tests that begin together go through together
for rank, v in by_rank.items():
    first = min(v)[0]
    ready[rank] = first + sum(wall for t, wall in v if t < first + 5e-4)
behind = sum(t >= ready[rank] for rank, v in by_rank.items() for t, _ in v)
each = sum(end - t for t in ready.values()) / len(ready)
states = collections.Counter(r["status"] for r in ran)
print("opinfo: %s GPU x %s workers: %d tests of %d operators in %.1f s, %.0f/s "
      "once workers are ready (%d tests in %.1f s); %s" % (
          sys.argv[2], sys.argv[3], len(ran), len({r["op"] for r in ran}),
          float(sys.argv[5]) - float(sys.argv[4]), behind / each, behind, each,
          ", ".join("%d %s" % (n, s) for s, n in states.most_common())))
wall = {id(r): float(r["wall_ns"]) * 1e-9 for r in ran}
idle = sum(end - max(t + wall for t, wall in v) for v in by_rank.values()) / (
    len(by_rank) * each)
slow = sorted((r for r in ran if wall[id(r)] > 0.1), key=lambda r: -wall[id(r)])
print("  %.1f s of work, of it %.1f s in %d tests of more than 0.1 s; %.0f %% of "
      "the workers' time without a test at the end; longest: %s" % (
          sum(wall.values()), sum(wall[id(r)] for r in slow), len(slow),
          100 * idle, ", ".join("%s %.2f s" % (r["op"][5:], wall[id(r)])
                                for r in slow[:8])))
PY
}

gain() {
    python3 - "$tmp/1.csv" "$tmp/2.csv" <<'PY'
import collections, csv, sys

def read(name):
    rows = [r for r in csv.DictReader(open(name, newline="")) if r["rank"] != "-1"]
    by_rank = collections.defaultdict(list)
    for r in rows:
        by_rank[r["rank"]].append((float(r["t_start_ns"]), float(r["wall_ns"]),
                                   r["cell_key"]))
    end = max(t + wall for v in by_rank.values() for t, wall, _ in v)
    tests, waits, whole = {}, 0, 0
    for v in by_rank.values():
        first = min(v)[0]
        ready = first + sum(wall for t, wall, _ in v if t < first + 5e5)
        waits += end - max(t + wall for t, wall, _ in v)
        whole += end - ready
        tests.update((key, wall) for t, wall, key in v if t >= ready)
    return len(by_rank), tests, waits / whole

(n1, one, wait1), (n2, two, wait2) = map(read, sys.argv[1:])
both = one.keys() & two.keys()
s1, s2 = (sum(w[k] for k in both) * 1e-9 for w in (one, two))
print("two GPUs: %.2f x as many of %d tests, once workers are ready: %.1f s of %d "
      "workers' time with %.0f %% waiting at the end, then %.1f s of %d with %.0f %%" %
      (n2 * s1 / (1 - wait1) / (n1 * s2 / (1 - wait2)), len(both), s1, n1,
       100 * wait1, s2, n2, 100 * wait2))
PY
}

for workers in "$@"; do
    for i in $(seq 0 "${REPEATS:-3}"); do
        [ "$i" -gt 0 ] || echo "first, not warm:"
        sweep 1 "$workers"
        [ "$gpus" -lt 2 ] || { sweep 2 "$workers" && gain; }
    done
done
