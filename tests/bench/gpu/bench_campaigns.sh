#!/bin/bash
# tests/bench/gpu/bench_campaigns.sh - whole campaigns on a GPU
#
#   bench_campaigns.sh [fourteen | aa | tiny | faults | traces]...
#
# fourteen  wall clock of 14 cases verified and timed, warm build cache, in
#           turns with the peers' method where torch and Triton are: what
#           it says of identical code, and how wide our intervals are
# aa        how often intervals of identical code contain 1.00, and how wide
#           they are: REPEATS campaigns (20)
# tiny      tiny cells verified per second
# faults    time from a fault to the next verdict, 100 of each kind in a row
# traces    all cases of the Hugging Face traces, correctness
#
# parts: fourteen aa tiny faults traces
# fourteen takes 60 s
# aa takes 180 s
# tiny takes 30 s
# faults takes 70 s
# traces takes 300 s
# stopped after 600 s
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
. tests/gpus.sh
opsweep=${OPSWEEP:-./opsweep}
repeats=${REPEATS:-20}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-gpu.XXXXXX")
watch=
trap 'kill $watch 2>/dev/null || true; rm -rf "$tmp"' EXIT
[ -e /dev/nvidiactl ] || { echo "skip: no GPU here"; exit 77; }
[ $# -gt 0 ] || set -- fourteen aa tiny faults traces

# sweep ROOT FILE [OPTION...]: one campaign, its progress to FILE.log
sweep() {
    local root=$1 file=$2
    shift 2
    "$opsweep" run --device cuda --suite custom_ops --custom-ops-root "$root" \
        -n 1 --force -o "$file.h5" "$@" >"$file.log" 2>&1
}

table() {
    "$opsweep" report "$1.h5" --fail-on none --format csv -o "$1.csv"
}

seconds() { # of a command
    python3 - "$@" <<'PY'
import subprocess, sys, time
t0 = time.monotonic()
rc = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True)
t = time.monotonic() - t0
sys.stdout.write("%.2f s%s\n" % (t, ", exit %d" % rc.returncode if rc.returncode else ""))
last = rc.stdout.splitlines()[-1:]
if rc.returncode: sys.stdout.write(rc.stdout[-2000:])
elif last and last[0].startswith("speedups"): print("  " + last[0])
PY
}

fourteen() {
    tests/bench/gpu/roots.py fourteen "$tmp/fourteen"
    sweep "$tmp/fourteen" "$tmp/warm" --profile smoke || cat "$tmp/warm.log"
    for _ in 1 2 3; do
        printf 'fourteen cases, opsweep:  '
        seconds "$opsweep" run --device cuda --suite custom_ops \
            --custom-ops-root "$tmp/fourteen" -n 1 --impls fast \
            --profile "${PROFILE:-smoke}" --force -o "$tmp/14.h5"
        if python3 -c 'import torch, triton' 2>/dev/null; then
            printf 'fourteen cases, peer:     '
            seconds python3 tests/bench/gpu/peer.py
        fi
    done
    table "$tmp/14"
    python3 - "$tmp/14.csv" <<'PY'
import csv, statistics, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
width = [(float(r["speedup_hi"]) - float(r["speedup_lo"])) /
         float(r["speedup"]) for r in rows
         if r["speedup_lo"] not in ("", "nan")]
print("  intervals of speedups, %d that have a baseline: %.1f %% wide (median), "
      "the widest %.1f %%" % (len(width), 100 * statistics.median(width),
                            100 * max(width)))
for r in rows:
    print("  %-16s %-44s %-6s %9.2f us  %5s x [%s, %s]  n=%s %s" % (
        r["op"][5:21], r["case"][:44], r["status"],
        float(r["t_median_ns"] or "nan") / 1e3, r["speedup"][:5],
        r["speedup_lo"][:6], r["speedup_hi"][:6], r["sample_n"], r["stop"]))
PY
}

aa() {
    tests/bench/gpu/roots.py aa "$tmp/aa"
    sweep "$tmp/aa" "$tmp/warm" --profile smoke || cat "$tmp/warm.log"
    for i in $(seq "$repeats"); do
        sweep "$tmp/aa" "$tmp/aa$i" --impls copy --profile "${PROFILE:-sweep}" \
            --seed "$i" || cat "$tmp/aa$i.log"
        table "$tmp/aa$i"
    done
    python3 - "$tmp"/aa?*.csv <<'PY'
import collections, csv, statistics, sys
rows = [r for f in sys.argv[1:] for r in csv.DictReader(open(f, newline=""))]
timed = [r for r in rows if r["speedup_lo"] not in ("", "nan")]
hold = [r for r in timed if float(r["speedup_lo"]) <= 1 <= float(r["speedup_hi"])]
print("A/A: intervals hold 1.00 in %d of %d cells (%d not timed)" % (
    len(hold), len(timed), len(rows) - len(timed)))
long = [r for r in timed if float(r["t_median_ns"]) >= 8000]
width = [(float(r["speedup_hi"]) - float(r["speedup_lo"])) / 2 for r in long]
print("A/A: median half width %.2f %% over %d cells of 8 us and more" % (
    100 * statistics.median(width), len(width)))
by = collections.defaultdict(list)
for r in timed:
    by[r["op"], r["case"]].append(r)
for (op, case), rs in by.items():
    print("  %-14s %-42s %8.2f us  holds %2d of %2d  half width %.2f %%  %.3f..%.3f" % (
        op[5:19], case[:42], statistics.median(float(r["t_median_ns"]) for r in rs) / 1e3,
        sum(float(r["speedup_lo"]) <= 1 <= float(r["speedup_hi"]) for r in rs), len(rs),
        100 * statistics.median((float(r["speedup_hi"]) - float(r["speedup_lo"])) / 2 for r in rs),
        min(float(r["speedup"]) for r in rs), max(float(r["speedup"]) for r in rs)))
PY
}

tiny() {
    tests/bench/gpu/roots.py tiny "$tmp/tiny"
    sweep "$tmp/tiny" "$tmp/warm" --profile correct || cat "$tmp/warm.log"
    for i in 1 2 3; do
        sweep "$tmp/tiny" "$tmp/tiny$i" --profile correct || cat "$tmp/tiny$i.log"
        table "$tmp/tiny$i"
    done
    python3 - "$tmp"/tiny?.csv <<'PY'
import csv, sys
for f in sys.argv[1:]:
    rows = list(csv.DictReader(open(f, newline="")))
    busy = sum(float(r["wall_ns"]) for r in rows) * 1e-9
    start = [float(r["t_start_ns"]) for r in rows]
    span = (max(start) - min(start)) * 1e-9
    phases = {p: 1e6 * 1e-9 * sum(float(r[p + "_ns"]) for r in rows) / len(rows)
              for p in ("build", "fill", "reference", "run", "verify")}
    print("tiny: %d cells, %d pass, %.0f cells/s over the campaign, us a cell: %s" % (
        len(rows), sum(r["status"] == "pass" for r in rows), len(rows) / span,
        ", ".join("%s %.1f" % x for x in phases.items())))
PY
}

faults() {
    tests/bench/gpu/roots.py faults "$tmp/faults"
    for what in illegal trap endless; do
        sweep "$tmp/faults/$what" "$tmp/$what" --profile correct --keep-going \
            --timeout "$([ $what = endless ] && echo 0.1 || echo 5)" || true
        table "$tmp/$what"
    done
    python3 - 0.1 "$tmp/illegal.csv" "$tmp/trap.csv" "$tmp/endless.csv" <<'PY'
import csv, sys
deadline = float(sys.argv[1])
for f in sys.argv[2:]:
    rows = list(csv.DictReader(open(f, newline="")))
    bad = {r["case"]: r for r in rows if r["impl"] == "bad"}
    right = {r["case"]: r for r in rows if r["impl"] == "right"}
    # How long the cell after a fault waits: a call that is stopped at its
    # deadline is detected then, one that the device ends when it does.  Cells
    # that began before the first fault waited for none.
    first = min(float(r["t_start_ns"]) for r in bad.values())
    wait = sorted(
        float(right[c]["wall_ns"]) * 1e-6 +
        max(0, float(r["run_ns"]) * 1e-6 - 1e3 * deadline
            if "endless" in f else 0) for c, r in bad.items()
        if float(right[c]["t_start_ns"]) >= first)
    run = sorted(float(r["run_ns"]) * 1e-6 for r in bad.values())
    make = sorted(float(r["build_ns"]) * 1e-6 for r in bad.values())
    states = sorted({r["status"] for r in bad.values()})
    late = [sum(x > 100 for x in v) for v in (make, wait)]
    print("faults: %-8s %d cells end as %s, %d of %d right ones pass; faulty call "
          "with its end %.1f (%.1f) ms, next sandbox %.1f (%.1f) ms, next cell "
          "after detection %.1f (%.1f) ms: median (largest)" % (
              f.split("/")[-1][:-4], len(bad), "/".join(states),
              sum(r["status"] == "pass" for r in right.values()), len(right),
              run[50], run[-1], make[50], make[-1], wait[len(wait) // 2], wait[-1]),
          "; above 100 ms: %d of %d sandboxes, %d of %d cells; 95 %% within %.1f and %.1f ms" % (
              late[0], len(make), late[1], len(wait), make[94],
              wait[len(wait) * 95 // 100 - 1]))
PY
}

traces() {
    local t0 t1
    nvidia-smi -i "$(visible_gpus | head -n 1)" --query-gpu=utilization.gpu \
        --format=csv,noheader,nounits -lms 100 >"$tmp/busy" &
    watch=$!
    t0=$(date +%s.%N)
    "$opsweep" run --device cuda --suite traces \
        --traces tests/data/traces/hf_train --profile correct -n 1 \
        --max-work 100 --force -o "$tmp/hf.h5" >"$tmp/hf.log" 2>&1 || true
    t1=$(date +%s.%N)
    kill $watch
    watch=
    tail -n 1 "$tmp/hf.log"
    awk '{ s += $1 } END { if (NR) printf "traces: the GPU was busy for %.0f %% of the time (a kernel ran, %d looks of the driver)\n", s / NR, NR }' "$tmp/busy"
    "$opsweep" report "$tmp/hf.h5" --fail-on none | tail -n 40
    table "$tmp/hf"
    python3 - "$tmp/hf.csv" "$t0" "$t1" <<'PY'
import collections, csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
wall = float(sys.argv[3]) - float(sys.argv[2])
ran = [r for r in rows if r["rank"] != "-1"]
cases = collections.defaultdict(set)
for r in rows:
    cases[r["op"], r["case"]].add(r["status"])
ok = sum("pass" in s for s in cases.values())
print("traces: %d distinct cases, %d with a passing implementation (%.1f %%), "
      "%d cells run in %.1f s" % (len(cases), ok, 100 * ok / len(cases), len(ran), wall))
for p in ("build", "fill", "reference", "run", "verify"):
    print("  %-10s %7.2f s" % (p, sum(float(r[p + "_ns"]) for r in ran) * 1e-9))
print("  why not:", collections.Counter(
    r["reason"].split(":")[0][:60] for r in rows if r["status"] == "skipped").most_common(8))
PY
}

for part in "$@"; do
    echo "-- $part"
    $part
done
