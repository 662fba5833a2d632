#!/bin/bash
# tests/shell/h5py_three_lines.sh FILE.h5 - what others must be able to read
#
# The three lines of docs/RESULTS.md, word for word, then checks of what they
# give; with pandas where it is installed.  ncdump, where it is installed, must
# read the file as netCDF-4.
set -eu
file=$1
python=
for p in python3 /usr/bin/python3; do
    if "$p" -c 'import h5py' 2>/dev/null; then
        python=$p
        break
    fi
done
[ -n "$python" ] || { echo "no python3 with h5py"; exit 77; }

"$python" - "$file" <<'PY'
import sys, h5py
try:
    import pandas
except ImportError:
    pandas = None
path = sys.argv[1]

# What the three lines do, without pandas.
f = h5py.File(path, "r")
df = {k: v[:] for k, v in f["results"].items()}
for k, v in f["dict"].items(): df[k] = v.asstr()[:][df[k + "_id"]]

n = f.attrs["n_results"]
assert f.attrs["schema"] == "opsweep.results", f.attrs["schema"]
assert list(f.attrs["schema_version"]) == [1, 5]
assert isinstance(f.attrs["run_uuid"], str)
assert f.attrs["n_planned"] >= n
groups = sum(int(f.attrs["n_" + g])
             for g in ("pass", "fail", "error", "not_judged", "infra"))
assert groups == n, (groups, n)
for k in ("cell_key", "op_id", "impl_id", "status_id", "fill_ns",
          "reference_ns", "run_ns", "verify_ns", "time_ns", "wait_ns"):
    assert len(df[k]) == n, k
for k, v in f["results"].items():
    assert v.attrs["units"] and v.attrs["long_name"], k
for k, v in f["dict"].items():
    texts = list(v.asstr()[:])
    assert len(set(texts)) == len(texts), k
assert (df["status"] == "pass").sum() == f.attrs["n_pass"]
off, num = df["sample_off"], df["sample_n"]
assert (off + num <= len(f["samples/t"])).all()
assert num.sum() == len(f["samples/t"])
assert f["samples/t"].attrs["units"] == "ns"
devices = {k: v.asstr()[:] if v.dtype == object else v[:]
           for k, v in f["devices"].items()}
for k in ("rank", "hostname", "kind", "index", "uuid", "name", "driver",
          "runtime", "capability", "cores", "memory_bytes", "max_clock_mhz",
          "health"):
    assert len(devices[k]) == len(devices["row"]), k
for k in ("op", "file", "sha256"):
    assert len(f["sources"][k].asstr()[:]) == len(f["sources/row"]), k
f["campaign/json"].asstr()[()], f["campaign/resolved"].asstr()[()]
f.close()

if pandas:
    exec('''import h5py, pandas as pd
f = h5py.File('FILE'); df = pd.DataFrame({k: v[:] for k, v in f['results'].items()})
for k, v in f['dict'].items(): df[k] = pd.Categorical.from_codes(df[k + '_id'], v.asstr()[:])
'''.replace("FILE", path))
    assert len(df) == n and (df.status == "pass").sum() == f.attrs["n_pass"]
print("h5py%s: %d rows, %d pass" % (" and pandas" if pandas else "", n,
                                    h5py.File(path, "r").attrs["n_pass"]))
PY
"$python" tests/shell/phases.py "$file"

if command -v ncdump >/dev/null; then
    ncdump -h "$file" >/dev/null
    ncdump -v status_id "$file" | grep 'ubyte status_id(row)' >/dev/null
    echo "ncdump: reads it"
fi
