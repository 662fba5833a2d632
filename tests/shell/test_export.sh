# tests/shell/test_export.sh - all cells with all columns, to the bit

make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'JSON'
{"correctness": ["((T([4, 8], f32), 2.0), {'note': 'a,\"b\"'})"],
 "performance": ["((T([4096], f32), -0.5), {})"]}
JSON
cat >"$TMP/ops/scale/scale_loud.c" <<'C'
#include <stdio.h>

#include <opsweep/op.h>

int scale_kernel_impl(const osw_call *call)
{
    (void)call;
    fprintf(stderr, "/home/alice/k.c:3: \"quoted\", \x01\r\nand more\n");
    return OSW_ERROR;
}
C
run() { "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile smoke -n 2 "$@"; }
expect_exit 1 run -o "$TMP/run.h5" --baseline plain
expect_exit 0 run -o "$TMP/other.h5" --ops scale --impls plain --case '((T([16], f32), 3.0), {})'
expect_exit 0 "$OPSWEEP" merge "$TMP/merged.h5" "$TMP/run.h5" "$TMP/other.h5"

# A file that is read is never overwritten, whatever its name.
ln -s run.h5 "$TMP/link.h5"
before=$(sha256sum <"$TMP/run.h5")
for command in 'export run.h5 --format csv' 'report run.h5 -f csv' 'compare other.h5 run.h5' \
    'history other.h5 run.h5' 'history other.h5 --baseline run.h5' \
    'report other.h5 run.h5 -f html'; do
    for output in run.h5 link.h5; do
        # shellcheck disable=SC2086
        (cd "$TMP" && expect_exit 2 "$OPSWEEP" $command -o $output)
        expect_err "'run.h5' is to be read and '$output' to be written: they are the same file"
    done
done
(cd "$TMP" && expect_exit 2 "$OPSWEEP" compare run.h5 other.h5 --emit-campaign run.h5)
expect_err 'they are the same file'
expect_equal "$before" "$(sha256sum <"$TMP/run.h5")" 'the file that was read'

# A full disk is told with the file's name.
if [ -w /dev/full ]; then
    for command in 'export run.h5 --format json' 'report run.h5 -f html' 'compare run.h5 merged.h5 -f json'; do
        # shellcheck disable=SC2086
        (cd "$TMP" && expect_exit 5 "$OPSWEEP" $command -o /dev/full)
        expect_err "'/dev/full'.*: No space left on device"
    done
fi
for command in export report compare history; do
    expect_exit 0 "$OPSWEEP" $command --help
    expect_out '(^|[ ,])5 [a-z ]+ cannot be written'
done

# What came out, by format, against what h5py reads: equal to the bit.
cat >"$TMP/same.py" <<'PY'
import csv, json, struct, sys
import h5py, numpy as np

path, out, kind, samples = sys.argv[1:]
f = h5py.File(path)
want = {k: v[:] for k, v in f["results"].items() if k != "row"}
for k, v in f["dict"].items():
    want[k] = v.asstr()[:][want.pop(k + "_id")]
n = f.attrs["n_results"]
t = f["samples/t"][:]

if kind == "csv":
    got = list(csv.DictReader(open(out, newline="", encoding="utf-8")))
elif kind == "json":
    doc = json.load(open(out))
    assert (doc["format"], doc["version"]) == ("opsweep.cells", 1)
    got = doc["cells"]
    assert [c["name"] for c in doc["columns"]] == list(got[0])
    assert all(c["units"] and c["text"] for c in doc["columns"])
    status = next(c for c in doc["columns"] if c["name"] == "status")
    assert status["text"] == "verdict: text of /dict/status", status
else:
    import pandas as pd
    df = pd.read_parquet(out)
    got = df.to_dict("records")
    for k, v in want.items():
        if v.dtype.kind in "iuf":
            assert df[k].dtype == v.dtype, (k, df[k].dtype, v.dtype)
            assert df[k].to_numpy().tobytes() == v.tobytes(), k
assert len(got) == n
columns = set(got[0]) - {"row", "samples"}
assert columns == set(want), columns ^ set(want)

def bits(x):
    return struct.pack("<d", float("nan") if x in ("", None) else float(x))

for i, g in enumerate(got):
    assert int(g["row"]) == i
    for k, v in want.items():
        v, x = v[i], g[k]
        if k == "cell_key":
            x = int(x, 16) if isinstance(x, str) else x
            assert int(x) == int(v), k
        elif isinstance(v, str):
            assert x == v, (k, x, v)
        elif v.dtype.kind == "f":
            assert bits(x) == bits(v) or (np.isnan(v) and bits(x) == bits(None)), (k, x, v)
        else:
            assert int(x) == int(v), (k, x, v)
    if samples == "yes":
        x = g["samples"]
        if isinstance(x, str):
            x = [float(s) for s in x.split()]
        off, m = int(want["sample_off"][i]), int(want["sample_n"][i])
        assert np.asarray(x, "f4").tobytes() == t[off:off + m].tobytes()
    else:
        assert "samples" not in g
assert samples == "no" or len(t) > 0
PY
check() { # FILE KIND [yes]
    local flags=()
    [ -z "${3:-}" ] || flags=(--samples)
    expect_exit 0 "$OPSWEEP" export "$TMP/$1.h5" --format "$2" "${flags[@]}" \
        ${python:+--python "$python"} -o "$TMP/$1.$2"
    "${python:-python_h5}" "$TMP/same.py" "$TMP/$1.h5" "$TMP/$1.$2" "$2" "${3:-no}"
    expect_no_file "$TMP"/*.tmp.*
}
for file in run merged; do
    for kind in csv json; do
        check $file $kind
        check $file $kind yes
    done
done
expect_exit 0 "$OPSWEEP" export "$TMP/run.h5" --format csv
"$OPSWEEP" export "$TMP/run.h5" --format csv -o "$TMP/again.csv"
expect_same_file "$TMP/again.csv" "$TMP/out"
expect_exit 0 "$OPSWEEP" export "$TMP/run.h5" --format json --anonymize
expect_no_grep "alice|$TMP" "$TMP/out"
expect_err '^opsweep: anonymized: '

# Parquet if a Python has its packages; otherwise a clear message.
for python in python3 /usr/bin/python3 ''; do
    [ -z "$python" ] || ! "$python" -c 'import h5py, pandas, pyarrow' 2>/dev/null || break
done
if [ -n "$python" ]; then
    for file in run merged; do
        check $file parquet
        check $file parquet yes
    done
    "$python" - "$TMP/run.parquet" "$TMP/run.h5" <<'PY'
import sys, h5py, pyarrow.parquet as pq
schema, f = pq.read_schema(sys.argv[1]), h5py.File(sys.argv[2])
assert schema.metadata[b"opsweep.run_uuid"].decode() == f.attrs["run_uuid"]
assert schema.field("t_median_ns").metadata[b"units"] == b"ns"
PY
else
    echo 'parquet: no python3 with h5py, pandas and pyarrow: its refusals only'
fi
mkdir "$TMP/bare"
printf '#!/bin/sh\nexit 3\n' >"$TMP/bare/none"
printf '#!/bin/sh\nexec cat >/dev/null\n' >"$TMP/bare/liar"
printf '#!/bin/sh\nexit 1\n' >"$TMP/bare/broken"
chmod +x "$TMP"/bare/*
expect_exit 5 "$OPSWEEP" export "$TMP/run.h5" --format parquet --python "$TMP/bare/none" -o "$TMP/x.parquet"
expect_err "'.*/none' has no pyarrow, which writes Parquet: install it, name another python3 with --python, or take --format csv or json"
expect_exit 5 "$OPSWEEP" export "$TMP/run.h5" --format parquet --python "$TMP/bare/broken" -o "$TMP/x.parquet"
expect_err "'.*/broken' could not write '"
expect_no_file "$TMP/x.parquet" "$TMP"/*.tmp.*
expect_exit 2 "$OPSWEEP" export "$TMP/run.h5" --format parquet
expect_err "'--format parquet' needs '--output FILE'"

# --- bad input ----------------------------------------------------------------
: >"$TMP/empty.h5"
echo 'op,impl' >"$TMP/foreign.h5"
head -c 5000 "$TMP/run.h5" >"$TMP/cut.h5"
python_h5 - "$TMP/run.h5" "$TMP" <<'PY'
import shutil, sys, h5py
src, tmp = sys.argv[1:]
for name, change in (
        ("old", lambda f: f.attrs.modify("schema_version", [0, 9])),
        ("samples", lambda f: f["results/sample_off"].__setitem__(
            slice(None), 10**12))):
    shutil.copy(src, "%s/%s.h5" % (tmp, name))
    with h5py.File("%s/%s.h5" % (tmp, name), "r+") as f:
        change(f)
PY
bad_file() { # NAME REGEX
    local kind
    for kind in csv json; do
        expect_exit 2 "$OPSWEEP" export "$TMP/$1.h5" --format $kind --samples -o "$TMP/x"
        expect_err "$1\.h5' $2"
        expect_no_file "$TMP/x" "$TMP"/x.tmp.*
    done
}
bad_file empty 'is empty'
bad_file foreign 'is no HDF5 file'
bad_file cut 'is truncated'
bad_file old 'has schema version 0\.9, this program reads 1\.x'
bad_file samples 'is damaged: a row has samples that are not there'
expect_exit 2 "$OPSWEEP" export "$TMP/missing.h5" --format csv
expect_err "missing\.h5': No such file"
expect_exit 2 "$OPSWEEP" export "$TMP/run.h5" --format csv -o "$TMP/none/x.csv"
expect_err "cannot write '.*/none/x\.csv': No such file"
[ ! -w /dev/full ] || expect_exit 5 sh -c '"$OPSWEEP" export "$1" --format csv >/dev/full' - "$TMP/run.h5"
expect_exit 0 "$OPSWEEP" export "$TMP/run.h5"
expect_same_file "$TMP/out" "$TMP/again.csv"
for format in csv json parquet; do
    expect_exit 2 "$OPSWEEP" export "$TMP/run.h5" "--$format"
    expect_err "unknown option '--$format' \(did you mean '--format $format'\?\)"
done
for flag in --fromat=csv --format=cvs --sample --anonymise --outputt=x --pyton=x; do
    expect_exit 2 "$OPSWEEP" export "$TMP/run.h5" "$flag"
    expect_err "${flag%%=*}"
done
