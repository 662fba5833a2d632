#!/bin/bash
# tests/bench/bench_sorting.sh - the library's sort, sort.stable and topk on a processor
# beside torch's operators, in turns
#
# A line for each case: median of a call of `radix` and of torch's, and how many times
# faster it is, with the interval where there were rounds for one.  THREADS [all] of a
# call.
#
# takes 300 s
# stopped after 900 s
set -eu -o pipefail
cd "$(dirname "$0")/../.."
. tests/shell/lib.sh
trap - ERR
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-sorting.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
OPSWEEP_PYTHON=$(python_with torch) ||
    { echo "no python3 with torch: not measured"; exit 77; }
export OPSWEEP_PYTHON OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
opsweep=${OPSWEEP:-./opsweep}

cp -r ops/library/shared ops/library/sort ops/library/sort__stable ops/library/topk "$tmp/"
python3 - "$tmp" <<'PY'
import json, sys

tensors = ["T([%d, %d], %s)" % (m, n, t) for m, n in
           ((1000, 1000), (16, 65536), (1, 65536), (1, 1000000)) for t in ("f32", "i64")]
cases = {
    "sort": ["((%s, -1, %s), {})" % (t, d) for t in tensors for d in (False, True)],
    "sort__stable": ["((%s,), {'stable': True})" % t for t in tensors],
    "topk": ["((%s, %d), {})" % (t, k) for t in tensors for k in (10, 100, 6500)
             if k < int(t.split(",")[1].strip("] "))],
}
for op, lines in cases.items():
    with open("%s/%s/gen_input.json" % (sys.argv[1], op), "w") as f:
        json.dump({"correctness": [], "performance": lines}, f)
PY
"$opsweep" run --custom-ops-root "$tmp" --impls radix,aten --baseline aten --device cpu \
    -n 1 --threads "${THREADS:-$(nproc)}" --profile sweep --seed 1 -o "$tmp/sorting.h5" \
    >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
"$opsweep" report "$tmp/sorting.h5" --fail-on none --format csv -o "$tmp/sorting.csv"
python3 - "$tmp/sorting.csv" <<'PY'
import csv, sys

rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["t_median_ns"]]
torch = {r["case"] + r["op"]: float(r["t_median_ns"]) for r in rows if r["impl"] == "aten"}
for r in rows:
    beside = torch.get(r["case"] + r["op"])
    if r["impl"] == "radix" and beside:
        own = float(r["t_median_ns"])
        range_of = " (%.2f .. %.2f)" % tuple(float(r[k]) for k in ("speedup_lo", "speedup_hi")) \
            if r["speedup_lo"] and r["speedup_hi"] else ""
        print("%-13s %-48s %9.3f ms, torch %9.3f ms: %.2fx%s" % (
            r["op"].split(".", 1)[1], r["case"], own / 1e6, beside / 1e6, beside / own, range_of))
PY
