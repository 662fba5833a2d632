#!/bin/bash
# tests/bench/gpu/bench_all_reduce.sh - all_reduce of the library on the GPUs of
# this node, beside NCCL in a bare loop
#
#   bench_all_reduce.sh [BYTES...]
#
# A rank on each GPU, 8 at most.  Every result is judged, then timed.  A line for
# each size and implementation: time of a call, bus bandwidth, and the time of the
# bare loop (nccl_loop.cu), called one by one and replayed from a graph.
#   IMPLS=A,B     which implementations (nccl,oneshot,twoshot,ring)
#   KEEP=FOLDER   leave result file, table of the loop and log there
#   LIMIT=S       give up after so many seconds (300)
#   OPSWEEP_NCCL  the library
#
# needs 2 GPUs
# runs alone: on all GPUs, up to 8
# takes 120 s
# stopped after 420 s
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
. tests/gpus.sh
opsweep=${OPSWEEP:-./opsweep}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-all-reduce.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
n=$(n_visible_gpus)
[ "$n" -ge 2 ] || { echo "skip: all_reduce needs 2 GPUs, there is $n"; exit 77; }
[ "$n" -le 8 ] || n=8
[ $# -gt 0 ] || set -- 8 512 8192 65536 1048576 16777216 67108864 268435456

python3 - "$tmp" "$n" "$@" <<'PY'
import json, pathlib, shutil, sys

root, world, sizes = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
for name in "shared", "all_reduce":
    shutil.copytree(f"ops/library/{name}", root / "root" / name)
op = root / "root/all_reduce"
keys = json.loads((op / "op.json").read_text())
(op / "op.json").write_text(json.dumps({**keys, "world": world}))
cases = [f"((T([{int(s) // 4}], f32),), {{}})" for s in sizes]
(op / "gen_input.json").write_text(json.dumps({"performance": cases}))
PY
nccl=${OPSWEEP_NCCL:-$(python3 -c 'import os, sys
paths = [p + "/nvidia/nccl/lib/libnccl.so.2" for p in sys.path]
print(next(filter(os.path.exists, paths), "libnccl.so.2"))')}
"${NVCC:-nvcc}" -O2 -std=c++17 -o "$tmp/nccl_loop" tests/bench/gpu/nccl_loop.cu -lpthread -ldl
rc=0
timeout 60 "$tmp/nccl_loop" "$nccl" "$@" >"$tmp/loop" || { rc=1; echo "nccl_loop failed: no bare loop"; }
timeout "${LIMIT:-300}" "$opsweep" run --device cuda --custom-ops-root "$tmp/root" \
    --impls "${IMPLS:-nccl,oneshot,twoshot,ring}" --profile smoke --max-work 1000 \
    -n $((n + 1)) -f -o "$tmp/run.h5" >"$tmp/log" 2>&1 || tail -n 3 "$tmp/log"
"$opsweep" report "$tmp/run.h5" --fail-on none --format csv -o "$tmp/run.csv"
python3 - "$tmp/run.csv" "$tmp/loop" "$n" <<'PY'
import csv, re, sys

loop = {int(a): (float(b), float(c)) for a, b, c in map(str.split, open(sys.argv[2]))}
n = int(sys.argv[3])

def bus(size, us):
    return f"{us:9.2f} us {2 * (n - 1) / n * size / us * 1e-3:7.1f} GB/s"

for r in csv.DictReader(open(sys.argv[1])):
    size = 4 * int(re.search(r"\[(\d+)\]", r["case"]).group(1))
    us = float(r["t_median_ns"] or "nan") / 1e3
    text = [f"{size:10d} {r['impl']:8s} {r['status']:11s} {bus(size, us)}"]
    if size in loop:
        text += [f"{name} {bus(size, t)} {us / t:5.3f}" for name, t in zip(("loop", "graph"), loop[size])]
    print("  ".join(text), r["reason"][:90] if us != us else "")
PY
if [ -n "${KEEP:-}" ]; then
    mkdir -p "$KEEP"
    cp "$tmp"/run.h5 "$tmp"/run.csv "$tmp"/loop "$tmp"/log "$KEEP"
fi
exit $rc
