# tests/shell/test_merge.sh - several result files into one

make_op "$TMP/ops"
make_op "$TMP/more"
mv "$TMP/more/scale" "$TMP/more/twice"
for f in reference plain; do
    sed "s/scale_/twice_/" "$TMP/more/twice/scale_$f.c" >"$TMP/more/twice/twice_$f.c"
    rm "$TMP/more/twice/scale_$f.c"
done
cat >"$TMP/wrong.c" <<'C'
#include <opsweep/op.h>

int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    for (int64_t i = 0; y && i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = 7;
    return y ? 0 : OSW_ERROR;
}
C
cp "$TMP/wrong.c" "$TMP/ops/scale/scale_other.c"
run() { "$OPSWEEP" run --profile smoke -n 2 "$@"; }

# Shards of a campaign by implementation, a shard of another campaign, and the
# whole campaign.
expect_exit 0 run --custom-ops-root "$TMP/ops" --impls plain --seed 3 -o "$TMP/a.h5"
expect_exit 1 run --custom-ops-root "$TMP/ops" --impls other --seed 4 -o "$TMP/b.h5"
expect_exit 0 run --custom-ops-root "$TMP/more" -o "$TMP/c.h5"
expect_exit 1 run --custom-ops-root "$TMP/ops" -o "$TMP/all.h5"
expect_exit 0 "$OPSWEEP" merge "$TMP/m.h5" "$TMP/a.h5" "$TMP/b.h5" "$TMP/c.h5"
expect_out 'm\.h5: 6 cells of 3 files$'
tests/shell/h5py_three_lines.sh "$TMP/m.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/m.h5"
expect_out '^cells +6 planned = 4 pass \+ 2 fail'
expect_out ', 3 workers, on ' # each run had a coordinator

# Every cell is there as it was, to the bit, and says which run it is from.
python_h5 - "$TMP/m.h5" "$TMP/a.h5" "$TMP/b.h5" "$TMP/c.h5" <<'PY'
import sys, h5py, numpy as np
merged, sources = h5py.File(sys.argv[1]), [h5py.File(p) for p in sys.argv[2:]]
dicts = list(merged["dict"])
def rows(f):
    cols = {k: v[:] for k, v in f["results"].items()}
    for k in dicts:
        cols[k] = f["dict"][k].asstr()[:][cols.pop(k + "_id")]
    t = f["samples/t"][:]
    return cols, t
m, mt = rows(merged)
at, first_rank = 0, 0
for i, f in enumerate(sources):
    c, t = rows(f)
    n = len(c["cell"])
    for k in c:
        if k in ("cell", "sample_off", "row"):
            continue
        want = c[k]
        if k == "rank":
            want = np.where(want >= 0, want + first_rank, want)
        got = m[k][at:at + n]
        assert got.tobytes() == want.tobytes() or list(got) == list(want), k
    for j in range(n):
        a = mt[m["sample_off"][at + j]:][:m["sample_n"][at + j]]
        b = t[c["sample_off"][j]:][:c["sample_n"][j]]
        assert a.tobytes() == b.tobytes()
    assert (m["run"][at:at + n] == i).all()
    r = {k: v[i] for k, v in merged["runs"].items()}
    for k in ("run_uuid", "command_line", "created_utc", "campaign_sha256",
              "hostname", "profile", "tool_version", "sealed_utc"):
        assert r[k].decode() == f.attrs[k], k
    assert r["seed"] == f.attrs["seed"] and r["n_kept"] == n
    assert r["campaign_resolved"].decode() == f["campaign/resolved"].asstr()[()]
    assert r["rank_first"] == first_rank
    devices = merged["devices/rank"][:]
    assert set(f["devices/rank"][:] + first_rank) <= set(devices)
    at += n
    first_rank += f.attrs["mpi_size"]
assert at == len(m["cell"]) and list(m["cell"]) == list(range(at))
assert merged.attrs["complete"] == 1 and merged.attrs["n_planned"] == at
assert merged.attrs["mpi_size"] == first_rank
assert len(set(merged["devices/rank"][:])) == len(merged["devices/rank"])
PY

# A cell is run again with the settings of its own run.
expect_exit 0 "$OPSWEEP" show "$TMP/m.h5" 3
expect_out '--seed 4'
expect_exit 0 "$OPSWEEP" show "$TMP/m.h5" 3 --rerun
expect_exit 0 "$OPSWEEP" show "$TMP/m.h5" 5 --rerun
expect_exit 0 "$OPSWEEP" show "$TMP/m.h5" 2 --dump "$TMP/dump"
expect_grep '"seed": 4' "$TMP/dump/cell.json"
expect_exit 0 "$OPSWEEP" repeat "$TMP/m.h5" 5 -n 2

# The same files give the same bytes; merged files merge, their runs included.
expect_exit 0 "$OPSWEEP" merge "$TMP/m2.h5" "$TMP/a.h5" "$TMP/b.h5" "$TMP/c.h5"
expect_same_file "$TMP/m.h5" "$TMP/m2.h5"
expect_exit 0 "$OPSWEEP" merge "$TMP/ab.h5" "$TMP/a.h5" "$TMP/b.h5"
expect_exit 0 "$OPSWEEP" merge "$TMP/ab_c.h5" "$TMP/ab.h5" "$TMP/c.h5"
python_h5 - "$TMP/m.h5" "$TMP/ab_c.h5" <<'PY'
import sys, h5py
a, b = map(h5py.File, sys.argv[1:])
for group in ("results", "runs", "devices", "ranks", "samples"):
    assert list(a[group]) == list(b[group]), group
    for k in a[group]:
        assert list(a[group][k][:].tolist()) == list(b[group][k][:].tolist()) \
            or str(a[group][k][:].tolist()) == str(b[group][k][:].tolist()), k
PY

# A cell of two files: the last counts where they agree ...
PY_STATE='import sys, h5py
f = h5py.File(sys.argv[1]); s = f["dict/status"].asstr()[:][f["results/status_id"][:]]
print(len(s), " ".join(sorted(s)), f["runs/n_kept"][:].tolist())'
expect_exit 0 "$OPSWEEP" merge "$TMP/x.h5" "$TMP/a.h5" "$TMP/b.h5" "$TMP/all.h5"
expect_out 'x\.h5: 4 cells of 3 files, 4 results of cells that several have left out$'
expect_equal '4 pass pass value value [0, 0, 4]' "$(python_h5 -c "$PY_STATE" "$TMP/x.h5")"
expect_exit 0 "$OPSWEEP" merge --force --keep first "$TMP/x.h5" "$TMP/a.h5" "$TMP/b.h5" "$TMP/all.h5"
expect_equal '4 pass pass value value [2, 2, 0]' "$(python_h5 -c "$PY_STATE" "$TMP/x.h5")"
# ... and where they do not, it is an error that names both
cp "$TMP/ops/scale/scale_plain.c" "$TMP/ops/scale/scale_other.c"
expect_exit 0 run --custom-ops-root "$TMP/ops" --impls other -o "$TMP/mended.h5"
expect_exit 2 "$OPSWEEP" merge "$TMP/y.h5" "$TMP/b.h5" "$TMP/mended.h5"
expect_err "cell 0x[0-9a-f]{16} \([^ ]+/[^ ]+\) is 'value' on .* in '.*/b\.h5' and 'pass' on .* in '.*/mended\.h5'; 2 cells differ: --keep=first or --keep=last decides"
expect_no_file "$TMP/y.h5" "$TMP"/y.h5.tmp.*
expect_exit 0 "$OPSWEEP" merge --keep last "$TMP/y.h5" "$TMP/b.h5" "$TMP/mended.h5"
expect_out '2 cells on which they do not agree \(last kept\)'
expect_equal '2 pass pass [0, 2]' "$(python_h5 -c "$PY_STATE" "$TMP/y.h5")"
expect_exit 0 "$OPSWEEP" merge --keep first --force "$TMP/y.h5" "$TMP/b.h5" "$TMP/mended.h5"
expect_equal '2 value value [2, 0]' "$(python_h5 -c "$PY_STATE" "$TMP/y.h5")"

# --- bad input ----------------------------------------------------------------
: >"$TMP/empty.h5"
echo 'op,impl' >"$TMP/foreign.h5"
head -c 5000 "$TMP/a.h5" >"$TMP/cut.h5"
python_h5 - "$TMP/a.h5" "$TMP" <<'PY'
import shutil, sys, h5py
src, tmp = sys.argv[1:]
def version(*v): return lambda f: f.attrs.modify("schema_version", list(v))
def ids(f): f["results/case_id"][0] = 12345
for name, change in (("old", version(0, 9)), ("new", version(2, 0)),
                     ("newer", version(1, 99)), ("ids", ids),
                     ("nosamples", lambda f: f["results/sample_n"].__setitem__(0, 7)),
                     ("nokeys", lambda f: f["results"].__delitem__("cell_key"))):
    path = "%s/%s.h5" % (tmp, name)
    shutil.copy(src, path)
    with h5py.File(path, "r+") as f:
        change(f)
PY
bad_file() { # NAME REGEX
    expect_exit 2 "$OPSWEEP" merge "$TMP/z.h5" "$TMP/c.h5" "$TMP/$1.h5"
    expect_err "$1\.h5' ?$2"
    expect_no_file "$TMP/z.h5" "$TMP"/z.h5.tmp.*
}
bad_file empty 'is empty'
bad_file foreign 'is no HDF5 file'
bad_file cut 'is truncated'
bad_file old 'has schema version 0\.9, this program reads 1\.x'
bad_file new 'has schema version 2\.0, this program reads 1\.x'
bad_file newer 'has schema version 1\.99, this program knows 1\.5'
bad_file ids "is damaged: entry 12345 of dictionary 'case' is not there"
bad_file nosamples 'is damaged: a row has samples that are not there'
bad_file nokeys ": no dataset '/results/cell_key'|: no dataset"
expect_exit 2 "$OPSWEEP" merge "$TMP/z.h5" "$TMP/c.h5" "$TMP/missing.h5"
expect_err "missing\.h5': No such file"
expect_exit 2 "$OPSWEEP" merge "$TMP/m.h5" "$TMP/a.h5"
expect_err 'm\.h5.* exists; use --force'
echo precious >"$TMP/words"
expect_exit 2 "$OPSWEEP" merge --force "$TMP/words" "$TMP/a.h5"
expect_err "'.*/words' is no result file"
expect_exit 2 "$OPSWEEP" report "$TMP/a.h5" -o "$TMP/m.h5"
expect_err "'.*/m\.h5' is a result file \(HDF5\), expected another name"
expect_equal precious "$(cat "$TMP/words")" 'a file that is no result file'
expect_exit 2 "$OPSWEEP" merge --force "$TMP/a.h5" "$TMP/a.h5"
expect_err 'they are the same file'
expect_exit 2 "$OPSWEEP" merge "$TMP/z.h5" "$TMP/a.h5" "$TMP/./a.h5"
expect_err 'are the same file'
expect_exit 2 "$OPSWEEP" merge "$TMP/z.h5"
expect_exit 2 "$OPSWEEP" merge "$TMP/none/z.h5" "$TMP/a.h5"
expect_err "cannot write '$TMP/none/z.h5': No such file or directory"
expect_exit 2 "$OPSWEEP" merge "$TMP" "$TMP/a.h5"
expect_err "'$TMP' is a folder, expected a file"
for flag in --kep=last --forc; do
    expect_exit 2 "$OPSWEEP" merge "$flag" "$TMP/z.h5" "$TMP/a.h5"
    expect_err "${flag%%=*}"
done
expect_exit 2 "$OPSWEEP" merge --keep both "$TMP/z.h5" "$TMP/a.h5"
expect_err "expected one of agreeing, first, last; found 'both'"

# What is missing in all files is told, and found in another.
python_h5 - "$TMP/a.h5" "$TMP/short.h5" <<'PY'
import shutil, sys, h5py
shutil.copy(*sys.argv[1:])
with h5py.File(sys.argv[2], "r+") as f:
    f.attrs.modify("n_planned", f.attrs["n_planned"] + 3)
    f.attrs.modify("complete", 0)
PY
expect_exit 4 "$OPSWEEP" merge "$TMP/z.h5" "$TMP/short.h5" "$TMP/c.h5"
expect_out 'INCOMPLETE: 3 planned cells without a result'
expect_exit 4 "$OPSWEEP" report "$TMP/z.h5"
