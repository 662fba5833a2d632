#!/bin/bash
# tests/bench/bench_python.sh - what Python costs: a tiny cell, a fault, and
# planning with 30 folders whose gen_input.py imports it
#
#   DEVICE=cuda   instead of cpu: faults are failed assertions of the device
#
# With torch where a python3 has it, else with numpy, which has no GPU.
#
# takes 60 s
# stopped after 300 s
set -eu -o pipefail
cd "$(dirname "$0")/../.."
. tests/shell/lib.sh
trap - ERR
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-python.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
module=torch
OPSWEEP_PYTHON=$(python_with torch) ||
    { module=numpy; OPSWEEP_PYTHON=$(python_with numpy); } ||
    { echo "no python3 with torch or numpy: not measured"; exit 77; }
export OPSWEEP_PYTHON
device=${DEVICE:-cpu}
[ "$device" = cpu ] ||
    "$OPSWEEP_PYTHON" -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null ||
    { echo "skip: no python3 with torch that has a GPU"; exit 77; }
opsweep=${OPSWEEP:-./opsweep}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

python3 - "$tmp" $module "$device" <<'PY'
import json, pathlib, sys

root, module, device = pathlib.Path(sys.argv[1]), *sys.argv[2:]
fault = "os.abort()" if device == "cpu" else \
    "return x[torch.full((9,), 1 << 30, device=x.device)]"
negate = {"torch": "torch.neg(x)", "numpy": "numpy.negative(x)"}[module]

def make(name, cases, files):
    folder = root / name / "neg"
    folder.mkdir(parents=True)
    (folder / "gen_input.json").write_text(json.dumps(cases))
    for stem, body in dict(files, reference="return " + negate).items():
        entry = "reference" if stem == "reference" else "kernel_impl"
        (folder / ("neg_%s.py" % stem)).write_text(
            "import os\nimport %s\n\n\ndef neg_%s(x):\n    %s\n" %
            (module, entry, body))

many = ["((T([%d], f32),), {})" % n for n in range(1, 1001)]
make("calls", {"correctness": many}, {"same": "return " + negate})
make("faults", {"correctness": many[:100]},
     {"bad": fault, "right": "return -x"})
for i in range(30):
    folder = root / "planned" / ("neg%d" % i)
    folder.mkdir(parents=True)
    (folder / ("neg%d_a.py" % i)).write_text(
        "def neg%d_kernel_impl(x):\n    return -x\n" % i)
    (folder / "gen_input.py").write_text(
        "import %s\n\n\ndef get_correctness_tests():\n"
        "    return [(%s.ones(4),)]\n" % (module, module))
PY
start=$EPOCHREALTIME
"$opsweep" plan --device "$device" --custom-ops-root "$tmp/planned" >/dev/null
planned_us=$((${EPOCHREALTIME/[^0-9]/} - ${start/[^0-9]/}))
for part in calls faults; do
    "$opsweep" run --device "$device" --custom-ops-root "$tmp/$part" -n 1 --threads 1 \
        --profile correct --keep-going --fail-on none -o "$tmp/$part.h5" >/dev/null \
        2>"$tmp/log" || { cat "$tmp/log"; exit 1; }
    "$opsweep" report --fail-on none "$tmp/$part.h5" --format csv \
        -o "$tmp/$part.csv"
done
python3 - "$tmp" $module "$device" $planned_us <<'PY'
import csv, statistics, sys

folder, module, device, planned_us = sys.argv[1:]

def rows(part, impl):
    return [r for r in csv.DictReader(open("%s/%s.csv" % (folder, part),
                                           newline="")) if r["impl"] == impl]

def median(records, column):
    return statistics.median(float(r[column]) for r in records)

print("Python with %s, one thread, on %s" % (module, device))
print("%-50s %.1f s" % ("planning, 30 generators", int(planned_us) / 1e6))
same = rows("calls", "same")
assert all(r["status"] == "pass" for r in same)
print("%-50s %.0f us" % ("tiny cell, all of it", median(same, "wall_ns") / 1e3))
bad = rows("faults", "bad")
assert {r["status"] for r in bad} == {"crash" if device == "cpu" else "cuda"}
assert {r["status"] for r in rows("faults", "right")} == {"pass"}

def print_times(what, records, column):
    ms = sorted(float(r[column]) / 1e6 for r in records)
    print("%-50s %.0f ms median, %.0f ms largest, %d of %d above 200 ms" % (
        what, statistics.median(ms), ms[-1], sum(t > 200 for t in ms), len(ms)))

print_times("faulty cell, recovery too, in a row", bad, "wall_ns")
print_times("  of it the call, until its end is known", bad, "run_ns")
print_times("  of it the next sandbox", bad, "build_ns")
print_times("the right cell beside it", rows("faults", "right"), "wall_ns")
PY
