#!/bin/bash
# tests/bench/bench_python.sh - what Python costs: a tiny cell, and a fault
#
# With torch where a python3 has it, else with numpy.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
. tests/shell/lib.sh
trap - ERR
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-python.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
module=torch
OPSWEEP_PYTHON=$(python_with torch) ||
    { module=numpy; OPSWEEP_PYTHON=$(python_with numpy); } ||
    { echo "no python3 with torch or numpy: not measured"; exit 0; }
export OPSWEEP_PYTHON

python3 - "$tmp" $module <<'PY'
import json, pathlib, sys

root, module = pathlib.Path(sys.argv[1]), sys.argv[2]
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
     {"abort": "os.abort()", "right": "return -x"})
PY
for part in calls faults; do
    ./opsweep run --device cpu --custom-ops-root "$tmp/$part" -n 1 --threads 1 \
        --profile correct --fail-on none -o "$tmp/$part.h5" >/dev/null \
        2>"$tmp/log" || { cat "$tmp/log"; exit 1; }
    ./opsweep report --fail-on none "$tmp/$part.h5" --format csv \
        -o "$tmp/$part.csv"
done
python3 - "$tmp" $module <<'PY'
import csv, statistics, sys

folder, module = sys.argv[1:3]

def rows(part, impl):
    return [r for r in csv.DictReader(open("%s/%s.csv" % (folder, part),
                                           newline="")) if r["impl"] == impl]

def median(records, column):
    return statistics.median(float(r[column]) for r in records)

print("Python with %s, one thread" % module)
same = rows("calls", "same")
assert all(r["status"] == "pass" for r in same)
print("%-50s %.0f us" % ("tiny cell, all of it", median(same, "wall_ns") / 1e3))
bad = rows("faults", "abort")
assert {r["status"] for r in bad} == {"crash"}
assert {r["status"] for r in rows("faults", "right")} == {"pass"}
print("%-50s %.0f ms" % ("cell that crashes, recovery too, of 100 in a row",
                         median(bad, "wall_ns") / 1e6))
PY
