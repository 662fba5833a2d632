# tests/shell/test_shards.sh - a campaign in parts, and the parts joined
#
# mostly waits: for ops that sleep, and for ranks
# takes 25 s

export OPSWEEP_CACHE=$TMP/cache
make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([{n}, 50], f32), 2.0), {})",
                  "for": {"n": [1, 2, 3, 40, 500, 6, 7, 80, 9, 10, 11, 12]}}]}
JSON
make_op "$TMP/more"
for f in "$TMP"/more/scale/scale_*.c; do
    sed "s/scale_/twice_/" "$f" >"$TMP/more/scale/twice_${f##*_}"
    rm "$f"
done
mv "$TMP/more/scale" "$TMP/ops/twice"
cat >"$TMP/ops/scale/scale_wrong.c" <<'C'
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
options=(--suite custom_ops --custom-ops-root "$TMP/ops" --profile correct)
run() { "$OPSWEEP" run "${options[@]}" --seed 5 -n 2 "$@"; }

# --- plan: each cell in one shard, under the number that it has in the whole ---
expect_exit 0 "$OPSWEEP" plan "${options[@]}" --json -o "$TMP/whole.json"
for i in 1 2 3; do
    expect_exit 0 "$OPSWEEP" plan "${options[@]}" --shard $i/3 --json -o "$TMP/$i.json"
done
python3 - "$TMP" <<'PY'
import json, sys
load = lambda name: json.load(open("%s/%s.json" % (sys.argv[1], name)))
cells = lambda plan: {c["cell"]: (c["cell_key"], b["op"], b["case"], c["impl"])
                      for b in plan["bundles"] for c in b["cells"]}
whole, shards = load("whole"), [load(i) for i in (1, 2, 3)]
joined = {}
for i, s in enumerate(shards):
    own = cells(s)
    assert own and not own.keys() & joined.keys(), i
    assert len(own) == s["n_cells"] and s["shard"] == i + 1 and s["n_shards"] == 3
    assert s["n_campaign"] == whole["n_cells"]
    assert s["campaign_expect_ns"] == whole["predicted_work_ns"]
    assert s["digest"] == whole["digest"]
    joined.update(own)
assert joined == cells(whole)
assert "shard" not in whole
PY
expect_exit 0 "$OPSWEEP" plan "${options[@]}" --shard 2/3
expect_out '^shard 2/3: [0-9]+ of 14 cases, [0-9]+ of 26 cells, predicted '

# --- three shards become the file of one run -----------------------------------
expect_exit 1 run -o "$TMP/all.h5"
n_wrong=0
for i in 1 2 3; do
    rc=0
    run --shard $i/3 -o "$TMP/s$i.h5" >"$TMP/out" 2>"$TMP/err" || rc=$?
    [ "$rc" -le 1 ] || fail "shard $i ended with $rc"
    n_wrong=$((n_wrong + rc))
    expect_err "shard $i/3: [0-9]+ of 14 cases, [0-9]+ of 26 cells"
done
[ "$n_wrong" -ge 1 ] || fail 'no shard found the wrong kernel'
expect_exit 0 "$OPSWEEP" merge "$TMP/joined.h5" "$TMP/s3.h5" "$TMP/s1.h5" "$TMP/s2.h5"
expect_out 'joined.h5: 26 cells of 3 files$'
for name in all joined; do
    expect_exit 1 "$OPSWEEP" report "$TMP/$name.h5" --format csv -o "$TMP/$name.csv"
done
python3 tests/shell/same_cells.py "$TMP/all.csv" "$TMP/joined.csv"
python_h5 - "$TMP" <<'PY'
import sys, h5py
f = {n: h5py.File("%s/%s.h5" % (sys.argv[1], n)) for n in ("all", "joined", "s1", "s2", "s3")}
for k in ("complete", "n_planned", "n_results", "n_pass", "n_fail", "seed", "profile"):
    assert f["all"].attrs[k] == f["joined"].attrs[k], k
for n in ("all", "joined"):
    assert "n_shards" not in f[n].attrs and "shard" not in f[n].attrs, n
sha = f["s1"].attrs["shard_of_sha256"]
for i in (1, 2, 3):
    a = f["s%d" % i].attrs
    assert (a["shard"], a["n_shards"], a["n_campaign"]) == (i, 3, 26)
    assert a["shard_of_sha256"] == sha and a["complete"] == 1
    assert a["n_planned"] == a["n_results"] < 26
assert f["joined"]["provenance"].attrs["plan_sha256"] == \
    f["all"]["provenance"].attrs["plan_sha256"]
assert f["joined"]["runs/shard"][:].tolist() == [3, 1, 2]
assert f["joined"]["runs/n_shards"][:].tolist() == [3, 3, 3]
PY
# A cell of it is run again, whichever shard it is from.
expect_exit 0 "$OPSWEEP" show "$TMP/joined.h5" 0 --rerun

# --- shards that are missing are named, and added later -------------------------
expect_exit 4 "$OPSWEEP" merge "$TMP/part.h5" "$TMP/s1.h5" "$TMP/s3.h5"
expect_out 'INCOMPLETE: [0-9]+ planned cells? without a result; shard 2 of 3 is not among the files$'
expect_exit 4 "$OPSWEEP" report "$TMP/part.h5"
expect_out ', seed 5, not all of 3 shards$'
expect_exit 0 "$OPSWEEP" report "$TMP/s1.h5" --fail-on none
expect_out ', seed 5, shard 1/3$'
expect_exit 0 "$OPSWEEP" report "$TMP/s1.h5" --fail-on none --format json
expect_out '^ +"n_shards": 3'
expect_exit 4 "$OPSWEEP" status "$TMP/part.h5"
expect_out 'incomplete; opsweep merge adds the shards that are missing$'
expect_exit 4 "$OPSWEEP" merge "$TMP/one.h5" "$TMP/s2.h5"
expect_out 'shards 1, 3 of 3 are not among the files$'
expect_exit 2 "$OPSWEEP" run --resume "$TMP/part.h5"
expect_err "its journal '.*' is not there: opsweep merge adds the shards that are missing$"
expect_exit 0 "$OPSWEEP" merge "$TMP/later.h5" "$TMP/part.h5" "$TMP/s2.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/later.h5" --format csv -o "$TMP/later.csv"
python3 tests/shell/same_cells.py "$TMP/all.csv" "$TMP/later.csv"

# --- shards that do not belong together ------------------------------------------
run --shard 1/2 -o "$TMP/half.h5" >/dev/null 2>&1 || [ $? -eq 1 ]
expect_exit 2 "$OPSWEEP" merge "$TMP/no.h5" "$TMP/s1.h5" "$TMP/half.h5"
expect_err "s1.h5' is of a campaign in 3 shards, '.*/half.h5' in 2: expected shards of one split"
run --shard 2/3 --seed 6 -o "$TMP/seed.h5" >/dev/null 2>&1 || [ $? -eq 1 ]
expect_exit 2 "$OPSWEEP" merge "$TMP/no.h5" "$TMP/s1.h5" "$TMP/seed.h5"
expect_err "s1.h5' was run with seed 5, '.*/seed.h5' with 6: expected shards of one campaign"
run --shard 2/3 --impls plain -o "$TMP/other.h5" >/dev/null 2>&1
expect_exit 2 "$OPSWEEP" merge "$TMP/no.h5" "$TMP/s1.h5" "$TMP/other.h5"
expect_err "are shards of two campaigns, of 26 and 14 cells"
expect_no_file "$TMP/no.h5"

# --- a shard goes on as that shard -------------------------------------------------
. tests/shell/slow_op.sh
make_slow_op "$TMP/slow" 6 300
slow=(--suite custom_ops --custom-ops-root "$TMP/slow" --profile correct -n 1)
"$OPSWEEP" run "${slow[@]}" --shard 1/2 -o "$TMP/cut.h5" >"$TMP/out" 2>&1 &
pid=$!
for _ in $(seq 300); do
    [ "$("$OPSWEEP" journal dump "$TMP/cut.h5" 2>/dev/null | grep -c '"type": "result"')" -lt 1 ] || break
    sleep 0.05
done
kill -KILL $pid
wait $pid || true
expect_exit 2 "$OPSWEEP" run --resume "$TMP/cut.h5" --shard 2/2
expect_err "option '--shard': '.*/cut.h5' is shard 1/2, found '2/2'"
rc=0
"$OPSWEEP" run --resume "$TMP/cut.h5" --shard 1/2 >"$TMP/out" 2>"$TMP/err" || rc=$?
[ "$rc" -le 1 ] || { cat "$TMP/err"; fail "resumed shard ended with $rc"; }
rc=0
"$OPSWEEP" run "${slow[@]}" --shard 2/2 -o "$TMP/rest.h5" >"$TMP/out" 2>"$TMP/err" || rc=$?
[ "$rc" -le 1 ] || fail "second shard ended with $rc"
expect_exit 0 "$OPSWEEP" merge "$TMP/slow.h5" "$TMP/cut.h5" "$TMP/rest.h5"
"$OPSWEEP" run "${slow[@]}" -o "$TMP/slow_all.h5" >/dev/null 2>&1 || [ $? -eq 1 ]
for name in slow slow_all; do
    "$OPSWEEP" report "$TMP/$name.h5" --format csv -o "$TMP/$name.csv" >/dev/null || [ $? -eq 1 ]
done
python3 tests/shell/same_cells.py "$TMP/slow.csv" "$TMP/slow_all.csv"
expect_exit 2 "$OPSWEEP" run --resume "$TMP/all.h5" --shard 0/2
expect_err "option '--shard': expected I/N with I from 1 to N and N up to 4096, such as 1/4; found '0/2'"

# --- bad words ---------------------------------------------------------------------
for word in 0/3 4/3 3 x/y 1/5000; do
    expect_exit 2 "$OPSWEEP" plan "${options[@]}" --shard $word
    expect_err "expected I/N with I from 1 to N .* found '$word'"
done
expect_exit 2 run --shard 1/15 -o "$TMP/no.h5"
expect_err 'expected N up to 14, the number of cases of this campaign; found 1/15'
expect_exit 2 run --shrad 1/2 -o "$TMP/no.h5"
expect_err "did you mean '--shard'"
expect_no_file "$TMP/no.h5" "$TMP/no.h5.journal"
